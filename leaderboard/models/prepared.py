"""Prepared statements for the few queries that run very often.

Django's cursor puts values into each statement, so PostgreSQL parses and plans it every time. Here
a statement is prepared once per connection. SQLite's driver does so by itself.

PostgreSQL still plans a statement for each execution if its parameters promise a cheaper plan, as
an OFFSET, a LIMIT and a range of sort keys do. Such parameters stand in a SELECT of their own,
where the planner does not see them, and limits are part of the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from psycopg import Cursor

FetchedRows = list[tuple[Any, ...]]

NEVER_BY_ITSELF = 2**31
"""The number of executions after which psycopg prepares a statement by itself: practically never.
With None instead, it would also prepare nothing on request."""


class PreparedCursor(Cursor[tuple[Any, ...]]):
    def execute(self, query: Any, params: Any = None, **options: Any) -> PreparedCursor:
        return super().execute(query, params, **{"prepare": True, **options})


class BinaryCursor(PreparedCursor):
    def execute(self, query: Any, params: Any = None, **options: Any) -> BinaryCursor:
        super().execute(query, params, **{"binary": True, **options})
        return self


def fetch(sql: str, parameters: Sequence[Any]) -> FetchedRows:
    """The rows that a statement returns. sql: marks parameters by `%s`, and casts JSON to text.

    It may run twice if the connection is lost, so what it changes must allow for that. Returns the
    driver's values, from PostgreSQL in binary form; SQLite returns texts, bytes and
    numbers.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    if _prepares(connection):
        return _fetched_again(connection, BinaryCursor, sql, parameters)
    rows = _by_django(connection, sql, parameters)
    return rows if connection.vendor == "sqlite" else [tuple(map(_plain, row)) for row in rows]


def rows_of(sql: str, parameters: Sequence[Any]) -> FetchedRows:
    """The rows of a SELECT, with values as Django's cursor returns them."""
    connection = connections[DEFAULT_DB_ALIAS]
    if _prepares(connection):
        return _fetched_again(connection, PreparedCursor, sql, parameters)
    return _by_django(connection, sql, parameters)


def changed(sql: str, parameters: Sequence[Any]) -> int:
    """Run a statement; returns the number of rows that it changed."""
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


def _by_django(connection: BaseDatabaseWrapper, sql: str, parameters: Sequence[Any]) -> FetchedRows:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: FetchedRows = cursor.fetchall()
    return rows


def _fetched_again(
    connection: BaseDatabaseWrapper,
    kind: type[PreparedCursor],
    sql: str,
    parameters: Sequence[Any],
) -> FetchedRows:
    """The rows; tries once more if the connection turns out to be lost."""
    was_open = connection.connection is not None
    try:
        return _fetched(connection, kind, sql, parameters)
    except (InterfaceError, OperationalError):
        if not was_open or connection.in_atomic_block or connection.is_usable():
            raise
        # The server has stopped since the connection was opened, and may be running again.
        connection.close()
        return _fetched(connection, kind, sql, parameters)


def _fetched(
    connection: Any,
    kind: type[PreparedCursor],
    sql: str,
    parameters: Sequence[Any],
) -> FetchedRows:
    """The rows, without a check of the connection before.

    Django sends `SELECT 1` before the first statement of each request to check the connection. Here
    the statement itself is the check.
    """
    with _cursor(connection, kind) as cursor:
        cursor.execute(sql, parameters)
        # Django's cursor would wrap this call, which needs no database any more, at a cost.
        rows: FetchedRows = cursor.cursor.fetchall()
    connection.health_check_done = True
    return rows


def _cursor(connection: Any, kind: type[PreparedCursor]) -> CursorWrapper:
    """A cursor whose queries are counted in tests and logged, like those of Django's cursor."""
    connection.ensure_connection()
    connection.connection.prepare_threshold = NEVER_BY_ITSELF
    make = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    cursor: CursorWrapper = make(kind(connection.connection))
    return cursor


def _plain(value: Any) -> Any:
    """The value, as bytes if it is a memoryview, which Django's PostgreSQL cursor returns."""
    return bytes(value) if isinstance(value, memoryview) else value
