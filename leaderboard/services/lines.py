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
from leaderboard.rules.cells import BoardCell
from leaderboard.rules.ranking import Place

COLUMNS = {
    "config_id": "bigint",
    "participant_id": "bigint",
    "attempt_id": "uuid",
    "sort_key": "text",
    "pick_key": "text",
    "unranked": "text",
    "values": "jsonb",
    "cells": "jsonb",
    "attempts": "integer",
    "reached_at": "timestamptz",
}
"""Columns of a standing, with the types that PostgreSQL reads from JSON; keys as hexadecimal."""


@dataclass(slots=True)
class Line:
    """A standing before it is written: the attempt that counts, and how many tries there were."""

    participant_id: int
    attempt_id: UUID
    place: Place
    values: dict[str, float]
    cells: dict[str, BoardCell]
    reached_at: datetime
    attempts: int


def upsert(config_id: int, lines: Sequence[Line]) -> None:
    """Count lines of different participants into the standings of a config, by one statement.

    The attempts add up; the rest of a standing is replaced if the line's pick key is smaller.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # One parameter for all: thousands would be quoted one by one.
            rows = [_json_row(config_id, line) for line in lines]
            cursor.execute(_sql(_from_json()), [json.dumps(rows)])
        else:
            marks = f"({', '.join(['%s'] * len(COLUMNS))})"
            values = [value for line in lines for value in _sqlite_row(config_id, line)]
            cursor.execute(_sql(f"VALUES {', '.join([marks] * len(lines))}"), values)


def _json_row(config_id: int, line: Line) -> dict[str, Any]:
    place = line.place
    return {
        "config_id": config_id,
        "participant_id": line.participant_id,
        "attempt_id": str(line.attempt_id),
        "sort_key": place.sort_key.hex(),
        "pick_key": place.pick_key.hex(),
        "unranked": place.unranked or "",
        "values": line.values,
        "cells": line.cells,
        "attempts": line.attempts,
        "reached_at": line.reached_at.isoformat(),
    }


def _sqlite_row(config_id: int, line: Line) -> tuple[Any, ...]:
    """The values as Django stores them there: ids as hexadecimal digits, times as text."""
    place = line.place
    return (
        config_id,
        line.participant_id,
        line.attempt_id.hex,
        place.sort_key,
        place.pick_key,
        place.unranked or "",
        json.dumps(line.values),
        json.dumps(line.cells) if line.cells else "{}",
        line.attempts,
        line.reached_at.replace(tzinfo=None).isoformat(" "),
    )


def _from_json() -> str:
    names = [f"decode({name}, 'hex')" if name.endswith("_key") else f'"{name}"' for name in COLUMNS]
    types = ", ".join(f'"{name}" {kind}' for name, kind in COLUMNS.items())
    return f"SELECT {', '.join(names)} FROM jsonb_to_recordset(%s) AS line({types}) WHERE true"  # noqa: S608 - names of the model


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
