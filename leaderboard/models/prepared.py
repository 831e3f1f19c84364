"""Prepared statements: for the few questions that are asked all the time.

Django's cursor quotes values into each statement and has PostgreSQL parse and plan it anew. Here
a statement is prepared once per connection. SQLite's driver does so by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from psycopg import Cursor

Found = list[tuple[Any, ...]]

NEVER_BY_ITSELF = 2**31
"""psycopg prepares what was asked more often than this; without a number, it prepares nothing."""


class PreparedCursor(Cursor[tuple[Any, ...]]):
    def execute(self, query: Any, params: Any = None, **options: Any) -> PreparedCursor:
        return super().execute(query, params, **{"prepare": True, **options})


class BinaryCursor(PreparedCursor):
    def execute(self, query: Any, params: Any = None, **options: Any) -> BinaryCursor:
        super().execute(query, params, **{"binary": True, **options})
        return self


def fetch(sql: str, parameters: Sequence[Any]) -> Found:
    """The rows of a SELECT. `sql` marks parameters by `%s`, and casts what is JSON to text.

    Values come as the driver has them, from PostgreSQL in binary: those of SQLite are texts, bytes
    and numbers.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    if _prepares(connection):
        return _fetched_again(connection, BinaryCursor, sql, parameters)
    rows = _by_django(connection, sql, parameters)
    return rows if connection.vendor == "sqlite" else [tuple(map(_plain, row)) for row in rows]


def rows_of(sql: str, parameters: Sequence[Any]) -> Found:
    """The rows of a SELECT, with values as Django's cursor gives them."""
    connection = connections[DEFAULT_DB_ALIAS]
    if _prepares(connection):
        return _fetched_again(connection, PreparedCursor, sql, parameters)
    return _by_django(connection, sql, parameters)


def changed(sql: str, parameters: Sequence[Any]) -> int:
    """How many rows a statement has changed."""
    connection = connections[DEFAULT_DB_ALIAS]
    if not _prepares(connection):
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            return int(cursor.rowcount)
    connection.close_if_health_check_failed()
    with _cursor(connection, PreparedCursor) as cursor:
        cursor.execute(sql, parameters)
        return int(cursor.rowcount)


def _prepares(connection: BaseDatabaseWrapper) -> bool:
    return connection.vendor == "postgresql" and settings.PREPARED_STATEMENTS


def _by_django(connection: BaseDatabaseWrapper, sql: str, parameters: Sequence[Any]) -> Found:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        found: Found = cursor.fetchall()
    return found


def _fetched_again(
    connection: BaseDatabaseWrapper,
    kind: type[PreparedCursor],
    sql: str,
    parameters: Sequence[Any],
) -> Found:
    """The rows; asked for once more where the connection turns out to be gone."""
    was_open = connection.connection is not None
    try:
        return _fetched(connection, kind, sql, parameters)
    except (InterfaceError, OperationalError):
        if not was_open or connection.in_atomic_block or connection.is_usable():
            raise
        # The server has gone since the connection was opened, and may be back.
        connection.close()
        return _fetched(connection, kind, sql, parameters)


def _fetched(
    connection: Any,
    kind: type[PreparedCursor],
    sql: str,
    parameters: Sequence[Any],
) -> Found:
    """Django asks `SELECT 1` before the first statement of each request, to see whether the
    connection is still there. Here the statement itself shows that."""
    with _cursor(connection, kind) as cursor:
        cursor.execute(sql, parameters)
        found: Found = cursor.fetchall()
    connection.health_check_done = True
    return found


def _cursor(connection: Any, kind: type[PreparedCursor]) -> CursorWrapper:
    """A cursor that tests count and loggers see, as they do Django's."""
    connection.ensure_connection()
    connection.connection.prepare_threshold = NEVER_BY_ITSELF
    make = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    cursor: CursorWrapper = make(kind(connection.connection))
    return cursor


def _plain(value: Any) -> Any:
    """Bytes as bytes, which Django's cursor for PostgreSQL gives as a view."""
    return bytes(value) if isinstance(value, memoryview) else value
