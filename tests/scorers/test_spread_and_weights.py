"""Spread, quantiles, weighted means and battles, compared with plain arithmetic."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.rewards.evidence import DeclaredTask, RewardEvidence
from leaderboard.rules.rewards.reductions import MetricValue
from leaderboard.services.evaluation.metrics import why_unknown
from scorers.metrics.registry import shipped
from scorers.metrics.weighted_mean import WeightedMean
from tests.rules.rewards_of import of_task_rewards, values_of

numbers = st.floats(-1e6, 1e6).map(lambda number: round(number, 3))
tasks_of = st.lists(st.lists(numbers, max_size=4), min_size=1, max_size=6)
battles = st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=4), min_size=1, max_size=6)


def compute(name: str, tasks: Sequence[Sequence[float]]) -> float | None:
    value: float | None = shipped().get(name)().compute(tasks)
    return value


def pooled(tasks: Sequence[Sequence[float]]) -> list[float]:
    return list(chain.from_iterable(tasks))


@given(tasks_of)
def test_the_median_is_the_median(tasks: list[list[float]]) -> None:
    every = pooled(tasks)
    assert compute("median", tasks) == (statistics.median(every) if every else None)


@given(tasks_of)
def test_the_standard_deviation_is_that_of_a_sample(tasks: list[list[float]]) -> None:
    every = pooled(tasks)
    wanted = statistics.stdev(every) if len(every) > 1 else None
    assert compute("std", tasks) == (wanted and pytest.approx(wanted, rel=1e-9, abs=1e-6))


def test_the_standard_deviation_of_huge_rewards_is_finite() -> None:
    assert compute("std", [[1e200], [-1e200]]) == pytest.approx(2**0.5 * 1e200)
    assert compute("std", [[0.0, 0.0]]) == 0.0


@given(tasks_of, st.integers(1, 100))
def test_percentiles_are_those_of_spreadsheets(tasks: list[list[float]], k: int) -> None:
    """Type 7: rank (n − 1) · K / 100, counted from 0, interpolated linearly between two samples."""
    every = sorted(pooled(tasks))
    percentile = compute(f"percentile@{k}", tasks)
    if not every:
        assert percentile is None
        return
    place = (len(every) - 1) * k / 100
    low, part = int(place), place - int(place)
    high = every[min(low + 1, len(every) - 1)]
    assert percentile == pytest.approx(every[low] + part * (high - every[low]), rel=1e-9, abs=1e-6)


def test_quantiles_equal_worked_ones() -> None:
    cases: list[tuple[str, float]] = [
        ("percentile@50", 2.5),
        ("median", 2.5),
        ("percentile@90", 3.7),
        ("percentile@100", 4.0),
    ]
    for name, value in cases:
        assert compute(name, [[1.0, 2.0], [3.0, 4.0]]) == pytest.approx(value), name


def test_there_are_a_hundred_percentiles() -> None:
    for name in ("percentile@101", "percentile@0", "percentile@K"):
        with pytest.raises(KeyError):
            shipped().get(name)
        assert why_unknown(name).startswith("No metric registered under"), name


@given(battles)
def test_battles_are_won_tied_or_lost(tasks: list[list[float]]) -> None:
    every = pooled(tasks)
    counts = [compute(name, tasks) or 0.0 for name in ("wins", "ties", "losses")]
    if not every:
        assert [compute(name, tasks) for name in ("wins", "ties", "losses")] == [None] * 3
        return
    assert counts == [every.count(1.0), every.count(0.5), every.count(0.0)]
    assert compute("mean", tasks) == pytest.approx((counts[0] + counts[1] / 2) / len(every))


def test_a_probability_of_winning_above_one_half_counts_as_a_win() -> None:
    tasks = [[0.51, 0.49], [0.5]]
    assert [compute(name, tasks) for name in ("wins", "ties", "losses")] == [1.0, 1.0, 1.0]


@given(st.lists(st.tuples(st.floats(0.1, 9), st.lists(numbers, max_size=3)), min_size=1))
def test_the_weighted_mean_is_that_of_numpy(pairs: list[tuple[float, list[float]]]) -> None:
    weights, tasks = [weight for weight, _ in pairs], [rewards for _, rewards in pairs]
    mean_reward = WeightedMean(weights).compute(tasks)
    full = [(weight, np.mean(rewards)) for weight, rewards in pairs if rewards]
    if not full:
        assert mean_reward is None
        return
    wanted = np.average([mean for _, mean in full], weights=[weight for weight, _ in full])
    assert mean_reward == pytest.approx(wanted, rel=1e-9, abs=1e-6)
    evidence = of_task_rewards(
        {str(at): rewards for at, rewards in enumerate(tasks)},
        [DeclaredTask(str(at), weight=weight) for at, weight in enumerate(weights)],
    )
    assert value(evidence)["value"] == pytest.approx(wanted, rel=1e-9, abs=1e-6)


def test_weights_of_tasks_that_were_not_run_do_not_count() -> None:
    declared = [DeclaredTask("a", weight=3), DeclaredTask("b", weight=96), DeclaredTask("c")]
    evidence = of_task_rewards({"a": [1.0], "b": [], "c": [0.0, 0.0], "d": [1.0]}, declared)
    metric_value = value(evidence)
    assert metric_value["value"] == pytest.approx((3 + 0 + 1) / 5)
    assert (metric_value["defined"], metric_value["total"]) == (3, 4)


def value(evidence: RewardEvidence) -> MetricValue:
    return values_of(evidence, "weighted_mean")["weighted_mean"]
