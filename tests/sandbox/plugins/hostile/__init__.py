"""Scorers that misbehave in many ways, and some that behave."""
