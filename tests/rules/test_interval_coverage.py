"""How often intervals contain the true value, found by simulation."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

from leaderboard.rules.rewards.distributions import wilson
from tests.rules.estimates import of

SKEWED = {
    "normal": (lambda dice, size: dice.normal(0, 1, size), 0.0),
    "uniform": (lambda dice, size: dice.random(size), 0.5),
    "u-shaped": (lambda dice, size: dice.beta(0.5, 0.5, size), 0.5),
    "skewed": (lambda dice, size: dice.beta(5, 2, size), 5 / 7),
}


def covered(name: str, draw: Any, truth: float, tasks: int, times: int) -> float:
    dice = np.random.default_rng(7)
    intervals = (of(name, draw(dice, (tasks, 1)).tolist()).interval or (1, 0) for _ in range(times))
    truth *= tasks if name == "sum" else 1
    return sum(low <= truth <= high for low, high in intervals) / times


@pytest.mark.slow
def test_t_intervals_cover_about_94_of_100_from_8_tasks() -> None:
    for tasks in (8, 12, 30):
        for shape in SKEWED:
            assert 0.92 <= covered("mean", *SKEWED[shape], tasks=tasks, times=2000) <= 0.97, (
                shape,
                tasks,
            )


@pytest.mark.slow
def test_bootstrap_intervals_cover_nearly_as_much_as_t() -> None:
    for tasks in (5, 8, 12):
        for shape in ("normal", "uniform"):
            assert 0.90 <= covered("sum", *SKEWED[shape], tasks=tasks, times=500) <= 0.98, (
                shape,
                tasks,
            )


def test_wilson_intervals_cover_at_least_93_of_100() -> None:
    for tasks in (5, 8, 10, 20, 100):
        shares = (np.arange(1000) + 0.5) / 1000
        intervals = [wilson(passed, tasks) for passed in range(tasks + 1)]
        held = sum(
            math.comb(tasks, passed)
            * shares**passed
            * (1 - shares) ** (tasks - passed)
            * ((low <= shares) & (shares <= high))
            for passed, (low, high) in enumerate(intervals)
        )
        assert 0.945 <= np.mean(held) <= 0.96, tasks
        assert np.mean(np.asarray(held) >= 0.93) >= 0.75, "for three shares of four, and"
        assert np.min(held) > 0.83, "by the edges, where shares are near 0 and 1"


def test_about_95_of_100_intervals_contain_the_true_value() -> None:
    dice = random.Random(7)
    held = 0
    for _ in range(400):
        chances = [dice.betavariate(2, 2) for _ in range(12)]
        tasks = [[float(dice.random() < chance) for _ in range(4)] for chance in chances]
        low, high = of("pass_rate", tasks).interval or (1, 0)
        held += low <= 0.5 <= high
    assert 0.925 <= held / 400 <= 0.985
