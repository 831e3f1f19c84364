"""Benchmarks of what the product claims about speed: `make bench`, or `python -m benchmarks
NAME`."""
