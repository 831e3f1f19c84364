"""What several benchmarks use: worlds of attempts, clocks, reports."""
