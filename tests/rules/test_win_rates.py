"""HELM's mean win rate, by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leaderboard.rules.ranking import RankKey
from leaderboard.rules.spec_names import SpecError
from leaderboard.rules.win_rates import WinRate, parse_compared, win_rates


def keys(*directions: str) -> list[RankKey]:
    return [RankKey(f"k{at}", each) for at, each in enumerate(directions)]  # type: ignore[arg-type]


def test_a_tie_is_half_a_win() -> None:
    """Of four with 3, 2, 2 and 1 the first beats three of three, the next one and a half."""
    found = win_rates([[3.0], [2.0], [2.0], [1.0]], keys("desc"))
    assert found == [WinRate(1.0, 1), WinRate(0.5, 1), WinRate(0.5, 1), WinRate(0.0, 1)]


def test_as_helm_says() -> None:
    """What HELM's own function gives for the same numbers, from 2 models to 30."""
    seeds = Path(__file__).parents[1] / "seeds" / "helm_win_rates.json"
    for board in json.loads(seeds.read_text())["boards"]:
        ends = ["asc" if lower else "desc" for lower in board["lower_is_better"]]
        found = win_rates(board["rows"], keys(*ends))
        for each, expected in zip(found, board["mean_win_rates"], strict=True):
            assert each.value == (expected and pytest.approx(expected, abs=1e-12))


def test_what_is_missing_is_left_out() -> None:
    """The second value is there for two alone; the third for one, so that it compares nobody."""
    rows: list[list[float | None]] = [[0.9, 1.0, 7.0], [0.5, None, None], [0.1, 4.0, None]]
    found = win_rates(rows, keys("desc", "asc", "desc"))
    assert found == [WinRate(1.0, 2), WinRate(0.5, 1), WinRate(0.0, 2)]


def test_one_alone_and_nobody() -> None:
    assert win_rates([[1.0]], keys("desc")) == [WinRate(None, 0)]
    assert win_rates([], keys("desc")) == []
    assert win_rates([[None], [1.0]], keys("desc")) == [WinRate(None, 0)] * 2


def test_values_are_compared_as_ranks_are() -> None:
    tied = win_rates([[0.1 + 0.2], [0.3]], keys("desc"))
    assert [each.value for each in tied] == [0.5, 0.5]
    rounded = win_rates([[0.304], [0.301]], [RankKey("k", "desc", 2)])
    assert [each.value for each in rounded] == [0.5, 0.5]


def test_the_field() -> None:
    said = ["MMLU", {"key": "cost_usd", "direction": "asc", "decimals": 2}]
    assert parse_compared("of", said) == (RankKey("MMLU", "desc"), RankKey("cost_usd", "asc", 2))


@pytest.mark.parametrize(
    ("said", "field"),
    [
        (None, "of"),
        ([], "of"),
        ("MMLU", "of"),
        ([5], "of.0"),
        ([""], "of.0.key"),
        (["a", "b", "a"], "of.2"),
        ([{"key": "a", "direction": "up"}], "of.0.direction"),
        ([{"key": "a", "decimals": 10}], "of.0.decimals"),
        ([{"key": "a", "weight": 1}], "of.0.weight"),
    ],
)
def test_wrong_fields_are_named(said: Any, field: str) -> None:
    with pytest.raises(SpecError) as wrong:
        parse_compared("of", said)
    assert wrong.value.field == field
