"""The database's clock in written statements. Every server has the same one."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db import DEFAULT_DB_ALIAS, connections

_NOW = {
    "postgresql": "STATEMENT_TIMESTAMP()",
    "sqlite": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW')",
}


def now_sql() -> str:
    """The moment at which a statement begins, for a statement that has parameters."""
    return _NOW[connections[DEFAULT_DB_ALIAS].vendor]


def moment(value: datetime | str) -> datetime:
    """A moment as a written statement returns it: SQLite keeps texts."""
    return datetime.fromisoformat(value).replace(tzinfo=UTC) if isinstance(value, str) else value
