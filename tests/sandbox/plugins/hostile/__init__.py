"""Scorers that misbehave in every way we could think of, and some that do not."""
