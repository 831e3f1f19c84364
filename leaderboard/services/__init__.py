"""The verbs: everything that writes, and the few reads that need more than a QuerySet."""
