"""Challenges choose the order of columns, and hide some."""

from __future__ import annotations

from typing import Any

from leaderboard.columns import Column, apply_overrides, check_overrides
from tests.schemas.refusals import refused

COLUMNS = [
    Column("solved", "Solved", "desc", ranked=True),
    Column("cost", "Cost", "asc", ranked=True),
    Column("style", "Style", "desc"),
    Column("speed", "Speed", "desc"),
    Column("depth", "Depth", "desc"),
]


def test_columns_are_in_the_order_that_a_challenge_chooses() -> None:
    cases: list[tuple[list[dict[str, Any]], str]] = [
        ([], "solved cost style speed depth"),
        ([{"key": "depth", "position": 1}], "solved cost depth style speed"),
        (
            [{"key": "style", "position": 7}, {"key": "speed", "position": 2}],
            "solved cost speed style depth",
        ),
        ([{"key": "speed", "hidden": True}], "solved cost style depth"),
        ([{"key": "speed", "hidden": False, "label": "Pace"}], "solved cost style speed depth"),
        ([{"key": "cost", "position": 1}], "solved cost style speed depth"),
        (
            [{"key": "extra", "position": 1}, {"key": "style", "position": 1}],
            "solved cost style extra speed depth",
        ),
        ([{"key": "cost", "hidden": True}], "solved cost style speed depth"),
    ]
    for overrides, keys in cases:
        assert [column.key for column in apply_overrides(COLUMNS, overrides)] == keys.split(), (
            overrides
        )


def test_a_column_that_the_board_ranks_by_cannot_be_hidden() -> None:
    error = refused(check_overrides, COLUMNS, [{"key": "cost", "hidden": True}])
    assert error.field == "columns.0.hidden"
    assert "ranks by cost" in error.message
