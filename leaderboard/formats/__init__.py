"""Dates and numbers by language: a folder for each, which adds to Django's formats of it."""
