"""Settings that are read from environment variables, without loading Django."""
