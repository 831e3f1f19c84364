"""Reading by prepared statements: for the few questions that are asked all the time.

Django's cursor quotes values into each statement and has PostgreSQL parse and plan it anew. Here
a statement is prepared once per connection, and the answers come in binary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connections
from psycopg import Cursor

Found = list[tuple[Any, ...]]

NEVER_BY_ITSELF = 2**31
"""psycopg prepares what was asked more often than this; without a number, it prepares nothing."""


class PreparedCursor(Cursor[tuple[Any, ...]]):
    def execute(self, query: Any, params: Any = None, **options: Any) -> PreparedCursor:
        return super().execute(query, params, **{"prepare": True, "binary": True, **options})


def fetch(sql: str, parameters: Sequence[Any]) -> Found:
    """The rows of a SELECT. `sql` marks parameters by `%s`, and casts what is JSON to text.

    Values come as the driver has them: those of SQLite are texts, bytes and numbers.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            found: Found = cursor.fetchall()
            return found
    if not settings.PREPARED_STATEMENTS:
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            return [tuple(map(_plain, row)) for row in cursor.fetchall()]
    was_open = connection.connection is not None
    try:
        return _fetched(connection, sql, parameters)
    except (InterfaceError, OperationalError):
        if not was_open or connection.in_atomic_block or connection.is_usable():
            raise
        # The server has gone since the connection was opened, and may be back.
        connection.close()
        return _fetched(connection, sql, parameters)


def _fetched(connection: Any, sql: str, parameters: Sequence[Any]) -> Found:
    """Django asks `SELECT 1` before the first statement of each request, to see whether the
    connection is still there. Here the statement itself shows that."""
    connection.ensure_connection()
    connection.connection.prepare_threshold = NEVER_BY_ITSELF
    make = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    with make(PreparedCursor(connection.connection)) as cursor:
        cursor.execute(sql, parameters)
        found: Found = cursor.fetchall()
    connection.health_check_done = True
    return found


def _plain(value: Any) -> Any:
    """Bytes as bytes, which Django's cursor for PostgreSQL gives as a view."""
    return bytes(value) if isinstance(value, memoryview) else value
