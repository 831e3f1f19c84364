"""The line that ends a command if it is interrupted, or if what it needs fails."""

from __future__ import annotations

from typing import Final

from django.db.utils import OperationalError, ProgrammingError

from leaderboard.operating.outages import database_is_away, disk_is_full, one_line
from leaderboard.services.operations.health import pending_migrations

INTERRUPTED: Final = 130
"""The exit status of a program that Ctrl-C ended, as in shells."""


def line_about(error: BaseException) -> str:
    """A line for an operator; empty for an error that only its traceback explains."""
    if database_is_away(error):
        return f"the database does not answer: {one_line(error)}"
    if isinstance(error, UnicodeEncodeError):
        return f"{error.object[error.start : error.end]!r} cannot be written as {error.encoding}"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if disk_is_full(error):
        return one_line(error)
    if isinstance(error, OperationalError | ProgrammingError) and pending_migrations():
        return "the database is not up to date: run `manage.py migrate` first"
    return ""
