"""The database's clock for handwritten statements, as all servers share this clock."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db import DEFAULT_DB_ALIAS, connections

_NOW = {
    "postgresql": "STATEMENT_TIMESTAMP()",
    "sqlite": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW')",
}


def now_sql() -> str:
    """SQL for the time at which a statement begins, for a statement that has parameters."""
    return _NOW[connections[DEFAULT_DB_ALIAS].vendor]


def moment(value: datetime | str) -> datetime:
    """A time as a datetime, from the result of a handwritten statement.

    SQLite stores texts without a zone, which Django's cursor converts if they come from a column.
    """
    time = datetime.fromisoformat(value) if isinstance(value, str) else value
    return time if time.tzinfo else time.replace(tzinfo=UTC)
