"""Scoring programs of challenges: read when they are uploaded, prepared, and run for attempts.

Of the packages below it imports `evaluation`, `scripts`, `files` and `plugins`.
"""
