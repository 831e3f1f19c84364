"""Reads any number of rows in binary form without holding them all in memory."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, NoReturn

from django.db import DEFAULT_DB_ALIAS, connections
from psycopg import Cursor, capabilities

ROWS_PER_READ = 1000

StreamedRow = tuple[Any, ...]


@contextmanager
def streamed(sql: str, parameters: Sequence[Any]) -> Iterator[Iterator[StreamedRow]]:
    """The rows of a SELECT, one after another. sql: marks parameters by `%s`.

    PostgreSQL reads on while this process works on earlier rows. So no other statement can run on
    the connection between the first row and the last: Django's cursors raise a RuntimeError.
    Yields the driver's values; SQLite returns texts, bytes and numbers.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.vendor == "postgresql":
        connection.ensure_connection()
        with closing(_stream(connection, sql, parameters)) as rows:
            yield rows
        return
    with connection.chunked_cursor() as cursor:
        cursor.execute(sql, parameters)
        yield iter(cursor)


def _stream(
    connection: Any, sql: str, parameters: Sequence[Any]
) -> Generator[StreamedRow, None, None]:
    size = ROWS_PER_READ if capabilities.has_stream_chunked() else 1
    with (
        connection.wrap_database_errors,
        Cursor[StreamedRow](connection.connection) as cursor,
        connection.execute_wrapper(_refuse),
    ):
        yield from cursor.stream(sql, parameters, binary=True, size=size)


def _refuse(*_: Any) -> NoReturn:
    """Refuse a statement, which would wait for the stream's end in the thread that reads it."""
    raise RuntimeError("no other statement can run while rows are streamed")
