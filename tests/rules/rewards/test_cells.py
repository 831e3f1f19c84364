"""Cells: what boards store of metric values, and the coverage of tasks."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.rules.rewards.cells import board_cell, coverage, margin
from leaderboard.rules.rewards.reductions import MetricValue


def value(number: float | None = 1.0, **more: Any) -> MetricValue:
    plain: MetricValue = {
        "value": number,
        "defined": 10,
        "total": 12,
        "failed": 0,
        "standard_error": None,
        "interval": None,
        "method": "",
        "n": 10,
        "seed": None,
        "reason": None,
        "error": None,
    }
    return {**plain, **more}  # type: ignore[typeddict-item]


def test_a_cell_has_the_known_parts_of_a_value() -> None:
    assert board_cell(value()) == {"defined": 10, "total": 12}
    cell = board_cell(value(standard_error=0.0, interval=[0.5, 1.5], failed=2))
    assert cell == {
        "defined": 10,
        "total": 12,
        "failed": 2,
        "standard_error": 0.0,
        "interval": [0.5, 1.5],
    }


def test_an_empty_cell_has_a_reason() -> None:
    for reason in ("undefined", "failed", "not_run"):
        assert board_cell(value(None, reason=reason))["reason"] == reason, reason


def test_the_cell_of_a_failed_metric_has_its_error() -> None:
    cases: list[tuple[str, str]] = [("not_installed",) * 2, ("timeout", "failed")]
    for code, reason in cases:
        error = {"code": code, "message": "No."}
        cell = board_cell(value(None, error=error))
        assert (cell["reason"], cell["error"]) == (reason, error), code


def test_coverage_is_that_of_the_first_ranked_metric() -> None:
    values = {"a": value(defined=3), "b": value(defined=6), "c": value(defined=12)}
    assert coverage(["b", "a"], values) == 0.5
    assert coverage(["score", "c", "a"], values) == 1.0


def test_without_a_ranked_metric_the_least_coverage_counts() -> None:
    values = {"a": value(defined=6), "b": value(defined=12)}
    assert coverage(["score"], values) == 0.5
    assert coverage(["score"], {}) == 0.0
    assert coverage(["a"], {"a": value(defined=0, total=0)}) == 0.0


def test_the_margin_is_half_of_the_interval() -> None:
    assert margin((0.25, 0.75)) == 0.25
    assert margin((-1.0, 2.0)) == pytest.approx(1.5)
