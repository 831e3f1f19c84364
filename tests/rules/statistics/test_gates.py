"""Verdicts about candidates, and how often they are wrong."""

from __future__ import annotations

import numpy as np
import pytest

from leaderboard.rules.statistics.entry_comparisons import compare_metrics
from leaderboard.rules.statistics.gates import Requirement, gate_verdict
from leaderboard.rules.statistics.parts import TaskParts


def state(
    candidate: list[float],
    baseline: list[float],
    require: Requirement = "not-worse",
    margin: float | None = None,
    smallest: float | None = None,
) -> str:
    compared = compare_metrics({"m": TaskParts.of_values([candidate, baseline])})["m"]
    verdict = gate_verdict(
        compared.comparison,
        "desc",
        require=require,
        margin=margin,
        is_same=not compared.differing,
        smallest=smallest,
    )
    return verdict.state


GOOD, BAD = [1.0] * 18 + [0.0] * 2, [1.0] * 4 + [0.0] * 16
NEAR = [0.0, *GOOD[1:]]


@pytest.mark.parametrize(
    ("candidate", "baseline", "require", "margin", "expected"),
    [
        (BAD, GOOD, "not-worse", None, "fail"),
        (GOOD, BAD, "not-worse", None, "pass"),
        (GOOD, GOOD, "not-worse", None, "pass"),
        (GOOD, GOOD, "better", None, "fail"),
        (GOOD, BAD, "better", None, "pass"),
        (BAD, GOOD, "better", None, "fail"),
        (NEAR, GOOD, "better", None, "unclear"),
        (NEAR, GOOD, "non-inferior", 0.2, "pass"),
        (NEAR, GOOD, "non-inferior", 0.01, "unclear"),
        (BAD, GOOD, "non-inferior", 0.1, "fail"),
        (BAD[:7], GOOD[:7], "not-worse", None, "unclear"),
        (GOOD[:7], GOOD[:7], "not-worse", None, "pass"),
    ],
)
def test_the_verdict_about_a_candidate_follows_what_is_required(
    candidate: list[float],
    baseline: list[float],
    require: Requirement,
    margin: float | None,
    expected: str,
) -> None:
    assert state(candidate, baseline, require, margin) == expected


def test_nothing_passes_that_the_tasks_cannot_show() -> None:
    assert state(NEAR, GOOD, "not-worse", 0.1, smallest=0.3) == "unclear"
    assert state(NEAR, GOOD, "non-inferior", 0.2, smallest=0.3) == "unclear"
    assert state(BAD, GOOD, "not-worse", 0.1, smallest=0.3) == "fail"


def test_of_equal_candidates_few_fail() -> None:
    draws = np.random.default_rng(7).normal(size=(600, 2, 16)).round(3)
    failed = sum(state(first.tolist(), second.tolist()) == "fail" for first, second in draws)
    assert failed <= 27  # 2.5 % of 600 are 15, with a standard deviation of 3.8
