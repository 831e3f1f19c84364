"""Pure functions and plain values without a database: what a score, a rank and a name mean."""
