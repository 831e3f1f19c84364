"""Writing many rows at once, past the ORM's row by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models

PLAIN = frozenset({str, int, float, bool, type(None)})
"""Types that every driver takes as they are."""


def insert_rows(
    model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Insert rows of Python values for the named fields: by COPY, or one prepared statement.

    Fields that are not named get their database defaults. Nothing is validated beyond what the
    database holds; a conflict is an IntegrityError.
    """
    connection = connections[DEFAULT_DB_ALIAS]  # the proxy would cost more than the conversions
    fields: list[models.Field[Any, Any]] = [model._meta.get_field(name) for name in names]  # type: ignore[misc]
    columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    table = connection.ops.quote_name(model._meta.db_table)
    prepared = (
        [
            value if type(value) in PLAIN else field.get_db_prep_save(value, connection)
            for field, value in zip(fields, row, strict=True)
        ]
        for row in rows
    )
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with (
                connection.wrap_database_errors,
                cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy,
            ):
                for row in prepared:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(fields))
            cursor.executemany(
                f"INSERT INTO {table} ({columns}) VALUES ({marks})",  # noqa: S608 - names of the model
                list(prepared),
            )
