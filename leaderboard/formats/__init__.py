"""Formats of dates and numbers: a folder per language, which extends Django's formats."""
