"""The page of an attempt."""
