"""Challenges choose the order of columns, and hide some."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.columns import Column, apply_overrides, check_overrides
from leaderboard.schemas.errors import SchemaError

COLUMNS = [
    Column("solved", "Solved", "desc", ranked=True),
    Column("cost", "Cost", "asc", ranked=True),
    Column("style", "Style", "desc"),
    Column("speed", "Speed", "desc"),
    Column("depth", "Depth", "desc"),
]


@pytest.mark.parametrize(
    ("overrides", "keys"),
    [
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
    ],
)
def test_the_order(overrides: list[dict[str, Any]], keys: str) -> None:
    assert [column.key for column in apply_overrides(COLUMNS, overrides)] == keys.split()


@pytest.mark.parametrize(
    ("entry", "field", "said"),
    [
        ({"key": "style", "position": 0}, "position", "from 1 to 100"),
        ({"key": "style", "position": True}, "position", "from 1 to 100"),
        ({"key": "style", "hidden": 1}, "hidden", "must be true or false"),
        ({"key": "cost", "hidden": True}, "hidden", "because the board ranks by cost"),
    ],
)
def test_wrong_entries_are_refused(entry: dict[str, Any], field: str, said: str) -> None:
    with pytest.raises(SchemaError, match=said) as refused:
        check_overrides(COLUMNS, [entry])
    assert refused.value.field == f"columns.0.{field}"
