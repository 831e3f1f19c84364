"""Reads any number of rows in binary form without holding them all in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from psycopg import ServerCursor

ROWS_PER_READ = 20_000


@contextmanager
def streamed(sql: str, parameters: Sequence[Any]) -> Iterator[Iterator[tuple[Any, ...]]]:
    """The rows of a SELECT, one after another. sql: marks parameters by `%s`.

    Yields the driver's values; SQLite returns texts, bytes and numbers.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.vendor != "postgresql":
        with connection.chunked_cursor() as cursor:
            cursor.execute(sql, parameters)
            yield iter(cursor)
        return
    with transaction.atomic():  # a server-side cursor needs a transaction
        with connection.cursor() as settings:
            # Plan for reading all rows, not for reading the first tenth quickly.
            settings.execute("SET LOCAL cursor_tuple_fraction = 1")
        with (
            connection.wrap_database_errors,
            ServerCursor(connection.connection, f"podium_{uuid4().hex}") as server,
        ):
            server.itersize = ROWS_PER_READ
            server.execute(sql, parameters, binary=True)
            yield iter(server)
