"""Standings before they are saved, and the statements that save them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections

from leaderboard.facts import rankable_facts
from leaderboard.models import ScoringConfig, Standing
from leaderboard.models.prepared import changed, fetch
from leaderboard.models.stored_value import StoredValue
from leaderboard.rules.ranking.places import NOT_COUNTING, CountingMode, Facts, StandingPlace, place
from leaderboard.rules.ranking.standing_draft import ONE_ROW, StandingDraft
from leaderboard.rules.rewards.cells import board_cell, board_number, coverage, ranked_number
from leaderboard.rules.rewards.reductions import MetricValue
from leaderboard.services.board.standing_columns import (
    COLUMNS,
    COMPARED,
    COPIED,
    JSON,
    NAMES,
    SQLITE,
    SQLITE_COMPARED,
    from_json,
    json_types,
)
from leaderboard.services.evaluation.reported_values import reported_values

SHOWN_FACTS = tuple(fact.key for fact in rankable_facts())
"""Facts that a standing stores beside the score, so that a board reads no other table."""

TABLE = f'"{Standing._meta.db_table}"'

KEY = ("participant_id", "slot")
"""The columns that identify a standing on a board."""

# In a SELECT of their own, PostgreSQL does not see the ids when it plans, so it plans once.
_KEYS = {
    "postgresql": """
        SELECT participant_id, sort_key, pick_key FROM leaderboard_standing
        WHERE board_id = %s AND participant_id = ANY((SELECT %s)::bigint[])""",
    "sqlite": """
        SELECT participant_id, sort_key, pick_key FROM leaderboard_standing
        WHERE board_id = %s AND participant_id IN (SELECT value FROM json_each(%s))""",
}
_ADD_EACH = """
    UPDATE leaderboard_standing SET attempts = attempts + tries.n
    FROM unnest(%s::bigint[], %s::integer[]) AS tries(participant_id, n)
    WHERE board_id = %s AND leaderboard_standing.participant_id = tries.participant_id"""
_SAME_ON_SQLITE = "board_id = %s AND participant_id = %s AND slot = %s"
_ADD = """
    UPDATE leaderboard_standing SET attempts = attempts + %s
    WHERE participant_id = %s AND board_id = %s"""


class ScoredAttempt(NamedTuple):
    """What a standing is made from: an attempt and its score.

    values: the score and the facts. reported: what the participant reports. chosen: whether the
    participant chose this attempt. is_out_of_ranking: whether its row is. standing: the number of
    its `AttemptStanding`. family: as its meta names it.
    """

    attempt_id: UUID
    participant_id: int
    submitted_at: datetime
    succeeded: bool | None
    withdrawn: bool
    failed: bool
    values: Mapping[str, float | None]
    reported: Mapping[str, float]
    metric_values: Mapping[str, MetricValue]
    disqualified: bool = False
    chosen: bool = False
    is_out_of_ranking: bool = False
    standing: int = 0
    family: str = ""


def standing_draft_of(
    config: ScoringConfig, counting: CountingMode, scored: ScoredAttempt
) -> StandingDraft:
    """The standing of a participant with this one attempt.

    counting: which attempts count on the board. `comparisons` adds the values that compare
    participants.
    """
    values = {**scored.values, **reported_values(config, scored.reported)}
    board_values = values | {
        key: board_number(value) for key, value in scored.metric_values.items()
    }
    return StandingDraft(
        scored.participant_id,
        scored.attempt_id,
        _place(config, _facts(config, scored, values), counting),
        {name: value for name, value in board_values.items() if value is not None},
        {key: board_cell(value) for key, value in scored.metric_values.items()},
        scored.submitted_at,
        0 if scored.withdrawn else 1,
        scored.attempt_id if counting == "all" else ONE_ROW,
        scored.is_out_of_ranking,
        scored.family,
    )


def _facts(
    config: ScoringConfig, scored: ScoredAttempt, values: Mapping[str, float | None]
) -> Facts:
    """What ranking needs of the attempt. values: its numbers without metric values."""
    metric_values = scored.metric_values
    return Facts(
        scored.attempt_id,
        scored.submitted_at,
        scored.succeeded,
        {**values, **{key: ranked_number(value) for key, value in metric_values.items()}},
        scored.failed,
        scored.withdrawn,
        scored.disqualified,
        coverage([key.key for key in config.own_ranking.keys], metric_values),
        [
            key
            for key, metric_value in metric_values.items()
            if metric_value.get("not_ranked") == "low_coverage"
        ],
        scored.chosen,
        NOT_COUNTING[scored.standing],
    )


def _place(config: ScoringConfig, facts: Facts, counting: CountingMode) -> StandingPlace:
    """The keys of an attempt before it is compared with others.

    If the board ranks by a compared value, the attempt is unranked until then.
    """
    own = place(config.picking(counting), facts)
    if not config.comparing_specs:
        return own
    alone = place(config.ranking, facts)
    return StandingPlace(alone.sort_key, own.pick_key, alone.unranked)


def upsert(board_id: int, lines: Sequence[StandingDraft]) -> None:
    """Count drafts of different participants into the standings of a board, by one statement.

    The numbers of attempts add up; the rest of a standing is replaced if the draft's pick key is
    smaller.
    """
    if not lines:
        return
    if connections[DEFAULT_DB_ALIAS].vendor == "postgresql":
        changed(_sql(_from_json()), [_json_rows(board_id, lines)])
    else:
        marks = f"({', '.join(['%s'] * len(NAMES))})"
        values = [value for line in lines for value in (board_id, *SQLITE.values(line))]
        changed(_sql(f"VALUES {', '.join([marks] * len(lines))}"), values)


def add_tries(board_id: int, lines: Iterable[StandingDraft]) -> None:
    """Count the attempts of drafts that change nothing else in their participants' standings."""
    tries = [(line.attempts, line.participant_id) for line in lines if line.attempts]
    if not tries:
        return
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.vendor == "postgresql":
        numbers, participants = (list(column) for column in zip(*tries, strict=True))
        changed(_ADD_EACH, [participants, numbers, board_id])
    else:
        with connection.cursor() as cursor:
            cursor.executemany(_ADD, [(*line, board_id) for line in tries])


class Keys(NamedTuple):
    """The sort keys of a participant's standing, and the pick key of the attempt that counts."""

    sort_key: bytes
    pick_key: bytes


def keys_of(board_id: int, participant_ids: Sequence[int]) -> dict[int, Keys]:
    """The keys of the participants that have a standing on a board."""
    among: Any = list(participant_ids)
    if connections[DEFAULT_DB_ALIAS].vendor == "sqlite":
        among = json.dumps(among)
    rows = fetch(_KEYS[connections[DEFAULT_DB_ALIAS].vendor], [board_id, among])
    return {
        participant: Keys(bytes(sort_key), bytes(pick_key))
        for participant, sort_key, pick_key in rows
    }


def insert(board_id: int, lines: Sequence[StandingDraft]) -> None:
    """Insert the drafts of participants that have no standings on a board, in the given order."""
    connection = connections[DEFAULT_DB_ALIAS]
    into = f"{TABLE} ({', '.join(_quoted(NAMES))})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            _copy(cursor, into, board_id, lines)
        else:
            marks = ", ".join(["%s"] * len(NAMES))
            rows = [(board_id, *SQLITE.values(line)) for line in lines]
            cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", rows)  # noqa: S608 - names of the model


def replace_all(board_id: int, lines: Sequence[StandingDraft]) -> None:
    """Update all columns of the standings that the drafts' participants have on a board.

    An update leaves out the checks of foreign keys that stay the same. Call it in a transaction.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    if not lines:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            names = ", ".join(_quoted(NAMES))
            cursor.execute(f"CREATE TEMP TABLE draft AS SELECT {names} FROM {TABLE} WITH NO DATA")  # noqa: S608 - names of the model
            _copy(cursor, f"draft ({names})", board_id, lines)
            cursor.execute(_replacing())
            cursor.execute("DROP TABLE draft")
        else:
            marks = ", ".join(f'"{column.name}" = %s' for column in COLUMNS)
            cursor.executemany(
                f"UPDATE {TABLE} SET {marks} WHERE {_SAME_ON_SQLITE}",  # noqa: S608 - names of the model
                [(*SQLITE.values(line), *_key_on_sqlite(board_id, line)) for line in lines],
            )


def _copy(cursor: Any, into: str, board_id: int, lines: Iterable[StandingDraft]) -> None:
    with cursor.db.wrap_database_errors, cursor.copy(f"COPY {into} FROM STDIN") as copy:
        for line in lines:
            copy.write_row((board_id, *COPIED.values(line)))


def rewrite(board_id: int, lines: Sequence[StandingDraft]) -> None:
    """Update what existing standings show, and their keys."""
    connection = connections[DEFAULT_DB_ALIAS]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_rewriting_json(), [board_id, _json_rows(board_id, lines)])
        else:
            marks = ", ".join(f'"{column.name}" = %s' for column in COMPARED)
            cursor.executemany(
                f"UPDATE {TABLE} SET {marks} WHERE {_SAME_ON_SQLITE}",  # noqa: S608 - names of the model
                [
                    (*SQLITE_COMPARED.values(line), *_key_on_sqlite(board_id, line))
                    for line in lines
                ],
            )


def _key_on_sqlite(board_id: int, line: StandingDraft) -> tuple[int, int, str]:
    return board_id, line.participant_id, line.slot.hex


def _json_rows(board_id: int, lines: Iterable[StandingDraft]) -> str:
    """One parameter for all: the driver would quote thousands one by one."""
    return json.dumps(
        [dict(zip(NAMES, (board_id, *JSON.values(line)), strict=True)) for line in lines]
    )


def _quoted(names: Iterable[str]) -> list[str]:
    return [f'"{name}"' for name in names]


@cache
def _from_json() -> str:
    values = ", ".join(["line.board_id", *(from_json(column, "line") for column in COLUMNS)])
    return f"SELECT {values} FROM jsonb_to_recordset(%s) AS line({json_types(NAMES)}) WHERE true"  # noqa: S608 - names of the model


@cache
def _sql(source: str) -> str:
    """A statement that PostgreSQL and SQLite both accept."""
    names = ", ".join(_quoted(NAMES))
    changes = ", ".join(_change(column) for column in COLUMNS if column.name not in KEY)
    return (
        f"INSERT INTO {TABLE} ({names}) {source}"
        f" ON CONFLICT (board_id, participant_id, slot) DO UPDATE SET {changes}"
    )


def _change(column: StoredValue) -> str:
    name = f'"{column.name}"'
    if column.adds_up:
        return f"{name} = {TABLE}.{name} + excluded.{name}"
    better = f"excluded.pick_key < {TABLE}.pick_key"
    return f"{name} = CASE WHEN {better} THEN excluded.{name} ELSE {TABLE}.{name} END"


@cache
def _rewriting_json() -> str:
    types = json_types([*KEY, *(column.name for column in COMPARED)])
    changes = ", ".join(f'"{column.name}" = {from_json(column, "line")}' for column in COMPARED)
    return (
        f"UPDATE {TABLE} SET {changes}"  # noqa: S608 - names of the model
        f" FROM (SELECT %s::bigint AS board_id) board, jsonb_to_recordset(%s) AS line({types})"
        f" WHERE {TABLE}.board_id = board.board_id"
        f" AND {TABLE}.participant_id = line.participant_id AND {TABLE}.slot = line.slot"
    )


@cache
def _replacing() -> str:
    names = [f'"{column.name}"' for column in COLUMNS if column.name not in KEY]
    changes = ", ".join(f"{name} = draft.{name}" for name in names)
    same = " AND ".join(f"{TABLE}.{name} = draft.{name}" for name in ("board_id", *KEY))
    return f"UPDATE {TABLE} SET {changes} FROM draft WHERE {same}"  # noqa: S608 - names of the model
