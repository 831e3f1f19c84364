"""The commands of `manage.py`, one per file; each parses its arguments and calls a service."""
