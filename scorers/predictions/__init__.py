"""Metrics of predictions: each compares the rows of a file with a hidden truth."""
