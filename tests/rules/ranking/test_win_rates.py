"""HELM's mean win rate, computed by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leaderboard.rules.ranking.places import RankKey
from leaderboard.rules.ranking.win_rates import WinRate, win_rates


def keys(*directions: str) -> list[RankKey]:
    return [RankKey(f"k{at}", direction) for at, direction in enumerate(directions)]  # type: ignore[arg-type]


def test_a_tie_is_half_a_win() -> None:
    """Of four values 3, 2, 2 and 1, the first beats three of three, the second one and a half."""
    rates = win_rates([[3.0], [2.0], [2.0], [1.0]], keys("desc"))
    assert rates == [WinRate(1.0, 1), WinRate(0.5, 1), WinRate(0.5, 1), WinRate(0.0, 1)]


def test_win_rates_equal_helms() -> None:
    """HELM's own function gives the same for the same numbers, for 2 to 30 models."""
    seeds = Path(__file__).parents[2] / "seeds" / "helm_win_rates.json"
    for board in json.loads(seeds.read_text())["boards"]:
        ends = ["asc" if lower else "desc" for lower in board["lower_is_better"]]
        rates = win_rates(board["rows"], keys(*ends))
        for win_rate, expected in zip(rates, board["mean_win_rates"], strict=True):
            assert win_rate.value == (expected and pytest.approx(expected, abs=1e-12))


def test_missing_values_are_left_out() -> None:
    """Two have the second value; only one has the third, which is not compared."""
    rows: list[list[float | None]] = [[0.9, 1.0, 7.0], [0.5, None, None], [0.1, 4.0, None]]
    rates = win_rates(rows, keys("desc", "asc", "desc"))
    assert rates == [WinRate(1.0, 2), WinRate(0.5, 1), WinRate(0.0, 2)]


def test_a_single_participant_has_no_win_rate() -> None:
    assert win_rates([[1.0]], keys("desc")) == [WinRate(None, 0)]
    assert win_rates([], keys("desc")) == []
    assert win_rates([[None], [1.0]], keys("desc")) == [WinRate(None, 0)] * 2


def test_values_are_compared_as_rounded_for_ranks() -> None:
    tied = win_rates([[0.1 + 0.2], [0.3]], keys("desc"))
    assert [win_rate.value for win_rate in tied] == [0.5, 0.5]
    rounded = win_rates([[0.304], [0.301]], [RankKey("k", "desc", 2)])
    assert [win_rate.value for win_rate in rounded] == [0.5, 0.5]
