"""The columns of standings for SQL statements, derived from the fields of the model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, Final

from django.db import connection, models
from django.db.models.expressions import Col

from leaderboard.models import Standing
from leaderboard.models.stored_value import StoredValue, stored_values
from leaderboard.rules.ranking.standing_draft import StandingDraft

COLUMNS: Final = stored_values(Standing)
"""The columns of a standing except the id of its board."""
COMPARED: Final = tuple(column for column in COLUMNS if column.compared)
NAMES: Final = ("board_id", *(column.name for column in COLUMNS))

Writers = Mapping[type, Callable[[Any], Any]]


class Form:
    """Values of drafts in the form that a statement takes: `writers` by the class of the field.

    Values of other fields are taken as they are.
    """

    def __init__(self, columns: Sequence[StoredValue], writers: Writers) -> None:
        self._parts = [(column.of, writers.get(column.kind)) for column in columns]

    def values(self, line: StandingDraft) -> list[Any]:
        values = []
        for of, write in self._parts:
            value = of(line)
            values.append(value if write is None or value is None else write(value))
        return values


_SQLITE: Writers = {
    models.DateTimeField: lambda moment: moment.replace(tzinfo=None).isoformat(" "),
    models.JSONField: json.dumps,
    models.UUIDField: attrgetter("hex"),
}
JSON: Final = Form(
    COLUMNS,
    {
        models.BinaryField: bytes.hex,
        models.DateTimeField: datetime.isoformat,
        models.UUIDField: str,
    },
)
"""For `from_json`: keys as hexadecimal digits."""
COPIED: Final = Form(COLUMNS, {models.JSONField: json.dumps})
"""For PostgreSQL's COPY."""
SQLITE: Final = Form(COLUMNS, _SQLITE)
"""The form in which Django stores values on SQLite."""
SQLITE_COMPARED: Final = Form(COMPARED, _SQLITE)


def json_types(names: Sequence[str]) -> str:
    """The columns of a record that PostgreSQL reads from `JSON`, with their types."""
    fields = {column.name: column for column in COLUMNS}
    kinds = [
        f'"{name}" {_json_type(fields[name]) if name in fields else "bigint"}' for name in names
    ]
    return ", ".join(kinds)


def from_json(column: StoredValue, record: str) -> str:
    """The value of a column in a record that has `json_types`."""
    name = f'{record}."{column.name}"'
    return f"decode({name}, 'hex')" if column.kind is models.BinaryField else name


def from_database(column: StoredValue, value: Any) -> Any:
    """A value as a model instance would have it, of what the driver has read."""
    read = Col("", column.field)
    ours = column.field.get_db_converters(connection)
    for convert in (*connection.ops.get_db_converters(read), *ours):
        value = convert(value, read, connection)
    return value


def plain(column: StoredValue, value: Any) -> Any:
    """A value of a draft or of a standing, so that equal ones are equal and readable."""
    if column.kind is models.BinaryField:
        return bytes(value).hex()
    return sorted(value.items()) if isinstance(value, dict) else value


def _json_type(column: StoredValue) -> str:
    if column.kind is models.BinaryField:
        return "text"
    return str(column.field.db_type(connection))
