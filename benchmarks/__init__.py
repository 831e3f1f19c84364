"""What the product claims about speed, measured: `make bench`, or `python -m benchmarks NAME`."""
