"""Standings before they are saved, and the statement that counts them in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections

from leaderboard.facts import rankable_facts
from leaderboard.models import ScoringConfig, Standing
from leaderboard.models.prepared import changed, fetch
from leaderboard.rules.cells import BoardCell, board_cell, board_number, coverage, ranked_number
from leaderboard.rules.ranking import Facts, Place, place
from leaderboard.rules.reductions import MetricValue
from leaderboard.services.evaluation.reported_values import reported_values

SHOWN_FACTS = tuple(fact.key for fact in rankable_facts())
"""Facts that a standing keeps beside the score, so that a board reads no other table for them."""

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


REWRITTEN = ("sort_key", "unranked", "values", "cells")
"""Columns that change where participants are compared, though their own attempts do not."""

_KEYS = {
    "postgresql": """
        SELECT participant_id, sort_key, pick_key FROM leaderboard_standing
        WHERE config_id = %s AND participant_id = ANY(%s::bigint[])""",
    "sqlite": """
        SELECT participant_id, sort_key, pick_key FROM leaderboard_standing
        WHERE config_id = %s AND participant_id IN (SELECT value FROM json_each(%s))""",
}
_ADD_EACH = """
    UPDATE leaderboard_standing SET attempts = attempts + tries.n
    FROM unnest(%s::bigint[], %s::integer[]) AS tries(participant_id, n)
    WHERE config_id = %s AND leaderboard_standing.participant_id = tries.participant_id"""
_ADD = """
    UPDATE leaderboard_standing SET attempts = attempts + %s
    WHERE participant_id = %s AND config_id = %s"""


@dataclass(slots=True)
class StandingDraft:
    """A standing before it is written: the attempt that counts, and how many tries there were."""

    participant_id: int
    attempt_id: UUID
    place: Place
    values: dict[str, float]
    cells: dict[str, BoardCell]
    reached_at: datetime
    attempts: int


def standing_draft_of(
    config: ScoringConfig,
    *,
    attempt_id: UUID,
    participant_id: int,
    submitted_at: datetime,
    succeeded: bool | None,
    withdrawn: bool,
    failed: bool,
    values: dict[str, float | None],
    reported: dict[str, float],
    metric_values: dict[str, MetricValue],
) -> StandingDraft:
    """The standing of one scored attempt, if it were alone. `values`: its score and facts.

    `comparisons` adds the values that compare participants.
    """
    values |= reported_values(config, reported)
    ranked = values | {key: ranked_number(value) for key, value in metric_values.items()}
    values |= {key: board_number(value) for key, value in metric_values.items()}
    facts = Facts(
        attempt_id,
        submitted_at,
        succeeded,
        ranked,
        failed,
        withdrawn,
        coverage([key.key for key in config.own_ranking.keys], metric_values),
        [key for key, each in metric_values.items() if each.get("not_ranked") == "low_coverage"],
    )
    return StandingDraft(
        participant_id,
        attempt_id,
        _place(config, facts),
        {name: value for name, value in values.items() if value is not None},
        {key: board_cell(value) for key, value in metric_values.items()},
        submitted_at,
        0 if withdrawn else 1,
    )


def _place(config: ScoringConfig, facts: Facts) -> Place:
    """The keys of an attempt before it is compared with others: compared values leave
    it unranked.
    """
    own = place(config.own_ranking, facts)
    if not config.comparing_specs:
        return own
    alone = place(config.ranking, facts)
    return Place(alone.sort_key, own.pick_key, alone.unranked)


def upsert(config_id: int, lines: Sequence[StandingDraft]) -> None:
    """Count drafts of different participants into the standings of a config, by one statement.

    The numbers of attempts add up; the rest of a standing is replaced if the draft's pick key is
    smaller.
    """
    if not lines:
        return
    if connections[DEFAULT_DB_ALIAS].vendor == "postgresql":
        # One parameter for all: the driver would quote thousands one by one.
        rows = [_json_row(config_id, line) for line in lines]
        changed(_sql(_from_json()), [json.dumps(rows)])
    else:
        marks = f"({', '.join(['%s'] * len(COLUMNS))})"
        values = [value for line in lines for value in _sqlite_row(config_id, line)]
        changed(_sql(f"VALUES {', '.join([marks] * len(lines))}"), values)


def add_tries(config_id: int, lines: Iterable[StandingDraft]) -> None:
    """Count the attempts of drafts that change nothing else in their participants' standings."""
    tries = [(line.attempts, line.participant_id) for line in lines if line.attempts]
    if not tries:
        return
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.vendor == "postgresql":
        numbers, participants = (list(column) for column in zip(*tries, strict=True))
        changed(_ADD_EACH, [participants, numbers, config_id])
    else:
        with connection.cursor() as cursor:
            cursor.executemany(_ADD, [(*each, config_id) for each in tries])


class Keys(NamedTuple):
    """The sort keys of a participant's standing, and the pick key of the attempt that counts."""

    sort_key: bytes
    pick_key: bytes


def keys_of(config_id: int, participant_ids: Sequence[int]) -> dict[int, Keys]:
    """The keys of the participants that have a standing under a config."""
    among: Any = list(participant_ids)
    if connections[DEFAULT_DB_ALIAS].vendor == "sqlite":
        among = json.dumps(among)
    rows = fetch(_KEYS[connections[DEFAULT_DB_ALIAS].vendor], [config_id, among])
    return {each: Keys(bytes(sort_key), bytes(pick_key)) for each, sort_key, pick_key in rows}


def insert(config_id: int, lines: Sequence[StandingDraft]) -> None:
    """Insert the drafts of a config that has no standings yet, in the given order."""
    connection = connections[DEFAULT_DB_ALIAS]
    names = ", ".join(f'"{name}"' for name in COLUMNS)
    into = f'"{Standing._meta.db_table}" ({names})'
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with connection.wrap_database_errors, cursor.copy(f"COPY {into} FROM STDIN") as copy:
                for line in lines:
                    copy.write_row(_plain_row(config_id, line))
        else:
            marks = ", ".join(["%s"] * len(COLUMNS))
            rows = [_sqlite_row(config_id, line) for line in lines]
            cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", rows)  # noqa: S608 - names of the model


def rewrite(config_id: int, lines: Sequence[StandingDraft]) -> None:
    """Update what existing standings show, and their keys."""
    connection = connections[DEFAULT_DB_ALIAS]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            rows = [_json_row(config_id, line) for line in lines]
            cursor.execute(_rewriting_json(), [config_id, json.dumps(rows)])
        else:
            marks = ", ".join(f'"{name}" = %s' for name in REWRITTEN)
            cursor.executemany(
                f'UPDATE "{Standing._meta.db_table}" SET {marks}'  # noqa: S608 - names of the model
                " WHERE config_id = %s AND participant_id = %s",
                [_rewritten_row(config_id, line) for line in lines],
            )


def _json_row(config_id: int, line: StandingDraft) -> dict[str, Any]:
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


def _plain_row(config_id: int, line: StandingDraft) -> tuple[Any, ...]:
    """The values in the order of `COLUMNS`."""
    place = line.place
    return (
        config_id,
        line.participant_id,
        line.attempt_id,
        place.sort_key,
        place.pick_key,
        place.unranked or "",
        json.dumps(line.values),
        json.dumps(line.cells) if line.cells else "{}",
        line.attempts,
        line.reached_at,
    )


def _sqlite_row(config_id: int, line: StandingDraft) -> tuple[Any, ...]:
    """The same in the form that Django stores on SQLite: hexadecimal ids, times as text."""
    config, participant, attempt, *rest, reached_at = _plain_row(config_id, line)
    moment = reached_at.replace(tzinfo=None).isoformat(" ")
    return (config, participant, attempt.hex, *rest, moment)


def _rewritten_row(config_id: int, line: StandingDraft) -> tuple[Any, ...]:
    """The values of `REWRITTEN`, and the participant's id."""
    row = dict(zip(COLUMNS, _sqlite_row(config_id, line), strict=True))
    return (*(row[name] for name in REWRITTEN), config_id, line.participant_id)


def _from_json() -> str:
    names = [f"decode({name}, 'hex')" if name.endswith("_key") else f'"{name}"' for name in COLUMNS]
    types = ", ".join(f'"{name}" {kind}' for name, kind in COLUMNS.items())
    return f"SELECT {', '.join(names)} FROM jsonb_to_recordset(%s) AS line({types}) WHERE true"  # noqa: S608 - names of the model


@cache
def _sql(source: str) -> str:
    """A statement that PostgreSQL and SQLite both accept."""
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


@cache
def _rewriting_json() -> str:
    table = f'"{Standing._meta.db_table}"'
    types = ", ".join(f'"{name}" {COLUMNS[name]}' for name in ("participant_id", *REWRITTEN))
    changes = ", ".join(
        f'"{name}" = ' + (f"decode(line.{name}, 'hex')" if name == "sort_key" else f'line."{name}"')
        for name in REWRITTEN
    )
    return (
        f"UPDATE {table} SET {changes}"  # noqa: S608 - names of the model
        f" FROM (SELECT %s::bigint AS config_id) board, jsonb_to_recordset(%s) AS line({types})"
        f" WHERE {table}.config_id = board.config_id"
        f" AND {table}.participant_id = line.participant_id"
    )
