"""The values of sorted columns: one statement copies them from the standings just written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections

from leaderboard.models.prepared import changed, fetch

MOST_NAMED = 10
"""The most wrong values of a column that are listed one by one."""

_NAMES = "column_id, participant_id, up, down, sort_key"
_VALUE = {
    "postgresql": """(s."values" ->> c.key)::double precision""",
    # Its paths have no escapes.
    "sqlite": """(SELECT value FROM json_each(s."values") WHERE json_each.key = c.key)""",
}
_INFINITY = {"postgresql": "'Infinity'::double precision", "sqlite": "9e999"}
_AMONG = {
    "postgresql": "= ANY(%s::bigint[])",
    "sqlite": "IN (SELECT value FROM json_each(%s))",
}
_DROP = """
    DELETE FROM leaderboard_sortedvalue
    WHERE column_id IN (
        SELECT id FROM leaderboard_sortedcolumn WHERE board_id = %s AND state <> 'dropped')"""
_REMOVE = """
    DELETE FROM leaderboard_sortedvalue
    WHERE column_id = %s AND participant_id > %s AND participant_id <= %s"""
# A column that is being built may lack values of participants that are still to come.
_WRONG = """
    SELECT c.key, wrong.participant_id
    FROM (SELECT m.column_id, m.participant_id FROM (DERIVED EXCEPT STORED) m
          JOIN leaderboard_sortedcolumn c ON c.id = m.column_id
          WHERE c.state = 'ready' OR m.participant_id <= c.done_to
          UNION SELECT column_id, participant_id FROM (STORED EXCEPT DERIVED) other) wrong
    JOIN leaderboard_sortedcolumn c ON c.id = wrong.column_id
    ORDER BY c.key, wrong.participant_id"""
# Each part ends at the first wrong value.
_ANY_WRONG = """
    SELECT EXISTS (
        SELECT 1 FROM (DERIVED) d JOIN leaderboard_sortedvalue v
        ON v.column_id = d.column_id AND v.participant_id = d.participant_id
        WHERE v.up <> d.up OR v.down <> d.down OR v.sort_key <> d.sort_key
    ) OR EXISTS (
        SELECT 1 FROM leaderboard_sortedcolumn c
        JOIN leaderboard_standing s ON s.board_id = c.board_id
        LEFT JOIN leaderboard_sortedvalue v
        ON v.column_id = c.id AND v.participant_id = s.participant_id
        WHERE c.board_id = %s AND v.column_id IS NULL
        AND (c.state = 'ready' OR c.state = 'building' AND s.participant_id <= c.done_to)
    ) OR EXISTS (
        SELECT 1 FROM leaderboard_sortedcolumn c
        JOIN leaderboard_sortedvalue v ON v.column_id = c.id
        LEFT JOIN leaderboard_standing s
        ON s.board_id = c.board_id AND s.participant_id = v.participant_id
        WHERE c.board_id = %s AND c.state <> 'dropped' AND s.id IS NULL)"""


def write(board_id: int, participant_ids: Sequence[int]) -> None:
    """Copy the values of some participants from their standings, for all sorted columns."""
    if participant_ids:
        vendor, some = _some(participant_ids)
        changed(_writing(vendor), [board_id, some])


def forget(board_id: int, participant_ids: Sequence[int]) -> None:
    """Delete the values of participants whose standings are deleted or about to be rewritten."""
    vendor, some = _some(participant_ids)
    changed(f"{_DROP} AND participant_id {_AMONG[vendor]}", [board_id, some])


def add(board_id: int, column_id: int, after: int, to: int) -> None:
    """Copy a column's values from the standings of the participants with ids `after` < id <= `to`.

    Keeps existing values, which are up to date. The caller holds the lock of the board.
    """
    vendor = connections[DEFAULT_DB_ALIAS].vendor
    changed(_adding(vendor), [board_id, column_id, after, to])


def remove(column_id: int, after: int, to: int) -> None:
    """Delete a column's values of the participants with ids `after` < id <= `to`."""
    changed(_REMOVE, [column_id, after, to])


def differences(board_id: int) -> list[str]:
    """The errors in the sorted columns of a board, a line each."""
    vendor = connections[DEFAULT_DB_ALIAS].vendor
    stored = (
        f"SELECT {_NAMES} FROM leaderboard_sortedvalue WHERE column_id IN"  # noqa: S608 - names of ours
        " (SELECT id FROM leaderboard_sortedcolumn WHERE board_id = %s AND state <> 'dropped')"
    )
    sql = _WRONG.replace("DERIVED", _derived(vendor)).replace("STORED", stored)
    wrong: dict[str, list[int]] = {}
    for key, participant in fetch(sql, [board_id] * 4):
        wrong.setdefault(key, []).append(participant)
    return [
        f"the order by {key}: {len(those)} values are not those of the standings, of participants "
        + ", ".join(map(str, those[:MOST_NAMED]))
        for key, those in wrong.items()
    ]


def is_any_wrong(board_id: int) -> bool:
    """Whether there are `differences`."""
    sql = _ANY_WRONG.replace("DERIVED", _derived(connections[DEFAULT_DB_ALIAS].vendor))
    ((is_wrong,),) = fetch(sql, [board_id] * 3)
    return bool(is_wrong)


@cache
def _writing(vendor: str) -> str:
    changes = ", ".join(f"{column} = excluded.{column}" for column in ("up", "down", "sort_key"))
    return (
        f"INSERT INTO leaderboard_sortedvalue ({_NAMES})"  # noqa: S608 - names of ours
        f" SELECT {_NAMES} FROM ({_derived(vendor)}) derived WHERE participant_id {_AMONG[vendor]}"
        f" ON CONFLICT (column_id, participant_id) DO UPDATE SET {changes}"
    )


@cache
def _adding(vendor: str) -> str:
    return (
        f"INSERT INTO leaderboard_sortedvalue ({_NAMES})"  # noqa: S608 - names of ours
        f" SELECT {_NAMES} FROM ({_derived(vendor)}) derived"
        " WHERE column_id = %s AND participant_id > %s AND participant_id <= %s"
        " ON CONFLICT (column_id, participant_id) DO NOTHING"
    )


@cache
def _derived(vendor: str) -> str:
    """A query for the rows that follow from a board's standings."""
    infinity = _INFINITY[vendor]
    return (
        "SELECT column_id, participant_id,"  # noqa: S608 - names of ours
        f" coalesce(value, {infinity}) AS up, coalesce(-value, {infinity}) AS down, sort_key"
        f" FROM (SELECT c.id AS column_id, s.participant_id, {_VALUE[vendor]} AS value, s.sort_key"
        " FROM leaderboard_sortedcolumn c JOIN leaderboard_standing s ON s.board_id = c.board_id"
        " WHERE c.board_id = %s AND c.state <> 'dropped') each_value"
    )


def _some(participant_ids: Sequence[int]) -> tuple[str, Any]:
    """The vendor, and the ids in the form of its parameter in `_AMONG`."""
    vendor = connections[DEFAULT_DB_ALIAS].vendor
    ids = list(participant_ids)
    return vendor, ids if vendor == "postgresql" else json.dumps(ids)
