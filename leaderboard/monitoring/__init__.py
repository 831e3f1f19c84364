"""Information for operators: a line in the log for each request, and counters."""
