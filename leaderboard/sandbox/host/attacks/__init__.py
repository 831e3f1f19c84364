"""Attacks of hostile programs and submissions, which the report runs as commands."""
