"""Reading as many rows as there are, in binary, without holding them."""

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
    """The rows of a SELECT, one after the other. `sql` marks parameters by `%s`.

    Values come as the driver has them: those of SQLite are texts, bytes and numbers.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.vendor != "postgresql":
        with connection.chunked_cursor() as cursor:
            cursor.execute(sql, parameters)
            yield iter(cursor)
        return
    with transaction.atomic():  # a cursor of the server lives in a transaction
        with connection.cursor() as settings:
            # All rows are wanted, not the first tenth soon.
            settings.execute("SET LOCAL cursor_tuple_fraction = 1")
        with (
            connection.wrap_database_errors,
            ServerCursor(connection.connection, f"podium_{uuid4().hex}") as server,
        ):
            server.itersize = ROWS_PER_READ
            server.execute(sql, parameters, binary=True)
            yield iter(server)
