"""Writes many rows at once, without the ORM, which handles each row by itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import chain, islice
from typing import Any, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import RawSQL

from leaderboard.models.prepared import changed

T = TypeVar("T")

PLAIN = frozenset({str, int, float, bool, type(None)})
"""The types that every driver accepts without conversion."""


def insert_rows(
    model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Insert rows of Python values for the named fields: by COPY, or one prepared statement.

    Fields that are not named get their database defaults. Only the database validates the values.
    Raises IntegrityError if it refuses a row.
    """
    connection = _connection()
    table, columns, fields = _named(connection, model, names)
    prepared = _prepared(connection, fields, rows)
    marks = ", ".join(["%s"] * len(fields))
    insert = f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608 - names of the model
    if len(first := list(islice(prepared, 2))) <= 1:
        for row in first:
            changed(insert, row)
        return
    prepared = chain(first, prepared)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with (
                connection.wrap_database_errors,
                cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy,
            ):
                for row in prepared:
                    copy.write_row(row)
        else:
            cursor.executemany(insert, list(prepared))


def insert_missing(
    model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]
) -> int:
    """Like `insert_rows`, but skips rows that a unique constraint refuses; one statement.

    Returns the number of new rows. Not for large values: PostgreSQL gets the rows as arrays, one
    for each field.
    """
    connection = _connection()
    table, columns, fields = _named(connection, model, names)
    prepared = list(_prepared(connection, fields, rows))
    insert = f"INSERT INTO {table} ({columns})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            arrays = ", ".join(f"%s::{field.db_type(connection)}[]" for field in fields)
            sql = f"{insert} SELECT * FROM unnest({arrays}) ON CONFLICT DO NOTHING"  # noqa: S608 - names of the model
            cursor.execute(sql, [list(column) for column in zip(*prepared, strict=True)])
        else:
            marks = ", ".join(["%s"] * len(fields))
            cursor.executemany(f"{insert} VALUES ({marks}) ON CONFLICT DO NOTHING", prepared)
        return int(cursor.rowcount)


def in_runs(items: Iterable[T], size: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """Yield items in lists; a list ends when the sizes of its items reach `most`."""
    run: list[T] = []
    total = 0
    for item in items:
        run.append(item)
        total += size(item)
        if total >= most:
            yield run
            run, total = [], 0
    if run:
        yield run


def among(texts: Iterable[str]) -> RawSQL:
    """Any number of texts as one parameter for an `__in` lookup."""
    if connection.vendor == "postgresql":
        return RawSQL("SELECT unnest(%s::text[])", [list(texts)])
    return RawSQL("SELECT value FROM json_each(%s)", [json.dumps(list(texts))])


def _connection() -> BaseDatabaseWrapper:
    """The connection itself, as Django's proxy would take more time than converting values."""
    return connections[DEFAULT_DB_ALIAS]


def _named(
    connection: BaseDatabaseWrapper, model: type[models.Model], names: Sequence[str]
) -> tuple[str, str, list[models.Field[Any, Any]]]:
    """The quoted table, its quoted columns and the fields."""
    fields: list[models.Field[Any, Any]] = [model._meta.get_field(name) for name in names]  # type: ignore[misc]
    columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    return connection.ops.quote_name(model._meta.db_table), columns, fields


def _prepared(
    connection: BaseDatabaseWrapper,
    fields: Sequence[models.Field[Any, Any]],
    rows: Iterable[Sequence[Any]],
) -> Iterator[list[Any]]:
    """Yield rows with values for the driver. A value that all rows share is converted only once."""
    last: list[Any] = [None] * len(fields)
    done: list[Any] = [None] * len(fields)
    kinds: tuple[type, ...] = ()
    converters: list[tuple[int, Callable[[Any], Any]]] = []
    for row in rows:
        if (now := tuple(map(type, row))) != kinds:  # mostly as in the row before
            kinds = now
            converted_places = [at for at, kind in enumerate(kinds) if kind not in PLAIN]
            converters = [(at, _converter(connection, fields[at])) for at in converted_places]
        ready = list(row)
        for at, converted in converters:
            value = row[at]
            if value is not last[at] and not (value == {} == last[at]):
                last[at], done[at] = value, converted(value)
            ready[at] = done[at]
        yield ready


def _converter(
    connection: BaseDatabaseWrapper, field: models.Field[Any, Any]
) -> Callable[[Any], Any]:
    """What `get_db_prep_save` does with a field's value, in a tenth of the time where that is
    simple."""
    if isinstance(field, models.UUIDField):
        return _hex if connection.vendor == "sqlite" else _unchanged
    if isinstance(field, models.DateTimeField):
        return _naive_text if connection.vendor == "sqlite" else _unchanged
    is_json = isinstance(field, models.JSONField) and field.encoder is None
    if is_json and connection.vendor == "sqlite":
        return json.dumps
    return partial(field.get_db_prep_save, connection=connection)


def _unchanged(value: T) -> T:
    return value


def _hex(value: UUID) -> str:
    return value.hex


def _naive_text(value: datetime) -> str:
    """A moment in UTC without its offset, as Django's SQLite stores it."""
    return str(value.astimezone(UTC).replace(tzinfo=None))
