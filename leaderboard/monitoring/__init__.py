"""What the product tells its operator: a line per request, and counters."""
