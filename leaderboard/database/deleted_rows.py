"""Errors of requests that need a row which another request deletes at the same time.

They are answered with 404 or 409, in one place for all requests. The log has the traceback, because
the same exceptions may come from a fault in our code.
"""

from __future__ import annotations

from typing import Final

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import ProtectedError
from django.db.utils import IntegrityError

FOREIGN_KEY: Final = ("23503", "SQLITE_CONSTRAINT_FOREIGNKEY")
"""How PostgreSQL and SQLite name a reference to a row that is not there."""


def needs_deleted_row(error: BaseException | None) -> bool:
    """Whether the error says that a row is gone, or is to be deleted while others refer to it."""
    if isinstance(error, ObjectDoesNotExist | ProtectedError):
        return True
    cause = error.__cause__ if isinstance(error, IntegrityError) else None
    names = (getattr(cause, "sqlstate", None), getattr(cause, "sqlite_errorname", None))
    return any(name in FOREIGN_KEY for name in names)
