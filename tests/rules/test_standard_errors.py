"""Standard errors over tasks, compared with worked examples."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.rewards.intervals import Estimate, clustered, mean_estimate
from tests.rules.estimates import CLUSTERS, of


def test_the_samples_of_a_task_are_not_independent() -> None:
    for name in ("mean", "pass_rate", "mean_reward", "avg"):
        estimate = of(name, CLUSTERS)
        over_tasks = statistics.stdev([0.75, 0.25, 1.0]) / math.sqrt(3)
        assert estimate.value == pytest.approx(0.6666667, abs=5e-8), name
        assert estimate.standard_error == pytest.approx(over_tasks, abs=1e-12), name
        assert estimate.standard_error == pytest.approx(0.2204793, abs=5e-8), name
        as_if_independent = math.sqrt(8 / 12 * 4 / 12 / 12)
        assert (estimate.standard_error or 0) > 1.5 * as_if_independent, name
        assert estimate.n == 3, name


def test_a_pooled_mean_of_unequal_tasks_has_the_sandwich_error() -> None:
    # m = 4/6; residuals 1 − 4/6, 3 − 4·4/6 and 0 − 4/6, computed by hand
    estimate = of("mean", [[1.0], [1.0, 1.0, 1.0, 0.0], [0.0]])
    squares = (1 / 3) ** 2 + (1 / 3) ** 2 + (2 / 3) ** 2
    assert estimate.value == pytest.approx(4 / 6, abs=1e-12)
    assert estimate.standard_error == pytest.approx(math.sqrt(3 / 2 * squares) / 6, abs=1e-12)


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=20))
def test_the_error_over_task_means_is_their_deviation_by_the_root_of_n(values: list[int]) -> None:
    mean, error = clustered(np.array(values, dtype=float), np.ones(len(values)))
    assert mean == pytest.approx(statistics.fmean(values), abs=1e-12)
    assert error == pytest.approx(statistics.stdev(values) / math.sqrt(len(values)), abs=1e-9)
    assert mean_estimate(values).standard_error == error


def test_repeated_samples_do_not_reduce_the_error() -> None:
    tasks = [[0.2, 0.9], [0.4], [1.0, 0.0, 0.5]]
    once, thrice = of("mean", tasks), of("mean", [task * 3 for task in tasks])
    assert thrice.standard_error == pytest.approx(once.standard_error, abs=1e-12)
    assert thrice.interval == pytest.approx(once.interval, abs=1e-12)


def test_one_task_gives_no_error() -> None:
    assert of("mean", [[0.25, 0.75]]) == Estimate(0.5, 1, interval_reason="few_tasks")
    assert mean_estimate([5.0]) == Estimate(5.0, 1, interval_reason="few_tasks")
    assert of("pass@1", [[1.0]]) == Estimate(1.0, 1, interval_reason="few_tasks")
    assert of("sum", [[1.0]]) == Estimate(1.0, 1, interval_reason="few_tasks")
