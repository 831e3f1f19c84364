"""Bootstraps: seeded, limited in time, and used for metrics without a formula."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from leaderboard.rules.rewards.intervals import (
    DRAWS,
    MAX_DRAWN,
    SEED,
    Estimate,
    bootstrap_sums,
    estimate,
    mean_estimate,
)
from tests.rules.estimates import Median, of


def test_a_bootstrap_that_would_take_minutes_is_skipped_for_means() -> None:
    tasks = MAX_DRAWN // DRAWS + 1
    estimated = mean_estimate([1.0] * (tasks - 1) + [0.0])
    assert (estimated.interval, estimated.interval_reason) == (None, "too_large")
    assert mean_estimate([1.0] * 100 + [0.0]).method == "bootstrap"
    assert mean_estimate([1.0, 0.0] * tasks).method == "t"


def test_a_bootstrap_is_reproducible_and_has_its_seed() -> None:
    tasks = [[float(number)] for number in range(40)]
    median = estimate(Median(), tasks)
    assert median == estimate(Median(), tasks)
    assert (median.value, median.n, median.method, median.seed) == (
        19.5,
        40,
        "bootstrap",
        SEED,
    )
    low, high = median.interval or (0, 0)
    assert 8 < low < 19.5 < high < 31
    assert median.standard_error == pytest.approx(3.0, abs=0.8)


def test_a_sum_has_the_relative_error_of_the_mean() -> None:
    dice = random.Random(3)
    tasks = [[dice.random() for _ in range(2)] for _ in range(200)]
    total, mean = of("sum", tasks), of("mean", tasks)
    assert total.method == "bootstrap"
    assert total.standard_error == pytest.approx(400 * (mean.standard_error or 0), rel=0.1)


def test_draws_of_sums_do_not_depend_on_the_batch_size(monkeypatch: Any) -> None:
    above = np.arange(50.0)
    whole = bootstrap_sums(above)
    monkeypatch.setattr("leaderboard.rules.rewards.intervals._AT_ONCE", 333)
    assert bootstrap_sums(above).tolist() == whole.tolist()
    assert whole.size == DRAWS


def test_a_bootstrap_that_would_take_minutes_is_skipped() -> None:
    task = [[1.0] * (MAX_DRAWN // DRAWS // 2 + 1)]
    assert estimate(Median(), task * 5) == Estimate(1.0, 5, interval_reason="too_large")


def test_a_draw_without_a_value_prevents_only_the_interval() -> None:
    class Picky(Median):
        def compute(self, task_rewards: Sequence[Sequence[float]]) -> float | None:
            firsts = {rewards[0] for rewards in task_rewards}
            return 1.0 if len(firsts) == 3 else None

    tasks = [[1.0], [2.0], [3.0], [1.0], [2.0]]
    assert estimate(Picky(), tasks) == Estimate(1.0, 5, interval_reason="not_estimated")
