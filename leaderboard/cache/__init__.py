"""The cache in Redis or in memory, and the counters and rates in it."""
