"""Lines of a board before they are standings, and the statement that counts them in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections

from leaderboard.models import Standing
from leaderboard.rules.ranking import Place

COLUMNS = {
    "config_id": "bigint",
    "participant_id": "bigint",
    "attempt_id": "uuid",
    "sort_key": "bytea",
    "pick_key": "bytea",
    "unranked": "text",
    "values": "jsonb",
    "attempts": "integer",
    "reached_at": "timestamptz",
}
"""Columns of a standing, with their types in PostgreSQL."""


@dataclass(slots=True)
class Line:
    """A standing before it is written: the attempt that counts, and how many tries there were."""

    participant_id: int
    attempt_id: UUID
    place: Place
    values: dict[str, float]
    reached_at: datetime
    attempts: int


def upsert(config_id: int, lines: Sequence[Line]) -> None:
    """Count lines of different participants into the standings of a config, by one statement.

    The attempts add up; the rest of a standing is replaced if the line's pick key is smaller.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # One array per column: a thousand rows of parameters would be parsed one by one.
            columns = zip(*(_row(config_id, line) for line in lines), strict=True)
            cursor.execute(_sql(_unnested()), [list(column) for column in columns])
        else:
            marks = f"({', '.join(['%s'] * len(COLUMNS))})"
            rows = [_sqlite_row(_row(config_id, line)) for line in lines]
            cursor.execute(
                _sql(f"VALUES {', '.join([marks] * len(rows))}"),
                [value for row in rows for value in row],
            )


def _row(config_id: int, line: Line) -> tuple[Any, ...]:
    place = line.place
    return (
        config_id,
        line.participant_id,
        line.attempt_id,
        place.sort_key,
        place.pick_key,
        place.unranked or "",
        json.dumps(line.values),
        line.attempts,
        line.reached_at,
    )


def _sqlite_row(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values as Django stores them there: ids as hexadecimal digits, times as text."""
    return (*row[:2], row[2].hex, *row[3:8], row[8].replace(tzinfo=None).isoformat(" "))


def _unnested() -> str:
    arrays = ", ".join(f"%s::{kind}[]" for kind in COLUMNS.values())
    return f"SELECT * FROM unnest({arrays})"  # noqa: S608 - types of the model


@cache
def _sql(source: str) -> str:
    """PostgreSQL and SQLite read this alike."""
    names = [f'"{name}"' for name in COLUMNS]
    table = f'"{Standing._meta.db_table}"'
    better = f'excluded."pick_key" < {table}."pick_key"'
    changes = [
        f"{name} = CASE WHEN {better} THEN excluded.{name} ELSE {table}.{name} END"
        for name in names[2:]
        if name != '"attempts"'
    ]
    changes.append(f'"attempts" = {table}."attempts" + excluded."attempts"')
    return (
        f"INSERT INTO {table} ({', '.join(names)}) {source}"
        f" ON CONFLICT ({names[0]}, {names[1]}) DO UPDATE SET {', '.join(changes)}"
    )
