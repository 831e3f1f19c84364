"""Standard errors over tasks, and intervals: against worked examples and by drawing."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.intervals import (
    DRAWS,
    MAX_DRAWN,
    SEED,
    Estimate,
    InvalidValue,
    bootstrap_sums,
    clustered,
    estimate,
    finite,
    mean_estimate,
    pack,
    student_t,
    wilson,
)
from scorers.metrics.registry import shipped

CLUSTERS = [[1, 1, 1, 0], [0, 0, 0, 1], [1, 1, 1, 1]]


def of(name: str, task_rewards: Sequence[Sequence[float]]) -> Estimate:
    return estimate(shipped().get(name)(), task_rewards)


# Standard errors


@pytest.mark.parametrize("name", ["mean", "pass_rate", "mean_reward", "avg"])
def test_the_samples_of_a_task_are_not_independent(name: str) -> None:
    found = of(name, CLUSTERS)
    over_tasks = statistics.stdev([0.75, 0.25, 1.0]) / math.sqrt(3)
    assert found.value == pytest.approx(0.6666667, abs=5e-8)
    assert found.standard_error == pytest.approx(over_tasks, abs=1e-12)
    assert found.standard_error == pytest.approx(0.2204793, abs=5e-8)
    as_if_independent = math.sqrt(8 / 12 * 4 / 12 / 12)
    assert (found.standard_error or 0) > 1.5 * as_if_independent
    assert found.n == 3


def test_a_pooled_mean_of_unequal_tasks_has_the_sandwich() -> None:
    # m = 4/6; residuals 1 − 4/6, 3 − 4·4/6 and 0 − 4/6, by hand.
    found = of("mean", [[1.0], [1.0, 1.0, 1.0, 0.0], [0.0]])
    squares = (1 / 3) ** 2 + (1 / 3) ** 2 + (2 / 3) ** 2
    assert found.value == pytest.approx(4 / 6, abs=1e-12)
    assert found.standard_error == pytest.approx(math.sqrt(3 / 2 * squares) / 6, abs=1e-12)


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=20))
def test_over_task_means_it_is_their_deviation_by_the_root(values: list[int]) -> None:
    mean, error = clustered(np.array(values, dtype=float), np.ones(len(values)))
    assert mean == pytest.approx(statistics.fmean(values), abs=1e-12)
    assert error == pytest.approx(statistics.stdev(values) / math.sqrt(len(values)), abs=1e-9)
    assert mean_estimate(values).standard_error == error


def test_repeating_each_sample_makes_nothing_surer() -> None:
    tasks = [[0.2, 0.9], [0.4], [1.0, 0.0, 0.5]]
    once, thrice = of("mean", tasks), of("mean", [task * 3 for task in tasks])
    assert thrice.standard_error == pytest.approx(once.standard_error, abs=1e-12)
    assert thrice.interval == pytest.approx(once.interval, abs=1e-12)


def test_one_task_says_nothing_of_others() -> None:
    assert of("mean", [[0.25, 0.75]]) == Estimate(0.5, 1)
    assert mean_estimate([5.0]) == Estimate(5.0, 1)
    alone = of("pass@1", [[1.0]])
    assert (alone.standard_error, alone.method) == (None, "wilson")


# Intervals


@pytest.mark.parametrize(
    ("passed", "tasks", "low", "high"),
    [
        (7, 10, 0.396778, 0.892209),
        (10, 10, 0.722467, 1.0),
        (0, 10, 0.0, 0.277533),
        (1, 1, 0.206549, 1.0),
    ],
)
def test_wilson_for_tasks_that_are_0_or_1(passed: int, tasks: int, low: float, high: float) -> None:
    assert wilson(passed, tasks) == pytest.approx((low, high), abs=5e-7)
    found = of("pass@1", [[1.0]] * passed + [[0.0]] * (tasks - passed))
    assert (found.value, found.n, found.method) == (passed / tasks, tasks, "wilson")
    assert found.interval == pytest.approx((low, high), abs=5e-7)


@given(st.integers(0, 60), st.integers(1, 60))
def test_wilson_holds_its_share_and_mirrors(passed: int, tasks: int) -> None:
    passed = min(passed, tasks)
    low, high = wilson(passed, tasks)
    assert 0.0 <= low <= passed / tasks <= high <= 1.0
    assert (low == 0.0, high == 1.0) == (passed == 0, passed == tasks)
    mirrored = wilson(tasks - passed, tasks)
    assert (1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-12)


def test_tasks_that_pass_as_a_whole_are_0_or_1_too() -> None:
    found = of("pass_rate", [[1.0, 1.0, 1.0]] * 10)
    assert found.interval == pytest.approx((0.722467, 1.0), abs=5e-7)
    uneven = of("pass_rate", [[1.0] * 9, [0.0]])
    assert uneven.method == "wilson"
    assert uneven.interval == pytest.approx(wilson(0.9 * 100 / 82, 100 / 82), abs=1e-12)


def test_a_plain_mean_of_zeros_and_ones_is_a_share() -> None:
    assert of("mean", [[1.0]] * 7 + [[0.0]] * 3).method == "wilson"
    assert of("mean", [[2.0, 0.0], [0.0, 0.0]]).method == "t"
    interval = of("mean_reward", CLUSTERS).interval
    assert interval == (0.0, 1.0)


# From the tables of any book, to five digits.
@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [
        (1, 12.70620),
        (2, 4.30265),
        (3, 3.18245),
        (4, 2.77645),
        (9, 2.26216),
        (10, 2.22814),
        (30, 2.04227),
        (100, 1.98397),
        (1000, 1.96234),
        (10_000, 1.96020),
    ],
)
def test_students_t(freedom: int, quantile: float) -> None:
    assert student_t(freedom) == pytest.approx(quantile, abs=5.1e-6)


def test_few_tasks_make_wide_intervals() -> None:
    physics = [65, 72, 58, 81, 45, 67, 73, 59, 68, 74]
    found = of("mean", [[value] for value in physics])
    error = statistics.stdev(physics) / math.sqrt(10)
    assert found.method == "t"
    assert found.interval == pytest.approx(
        (66.2 - 2.26216 * error, 66.2 + 2.26216 * error), abs=1e-3
    )
    assert found.interval == pytest.approx((58.9, 73.5), abs=0.05)


def test_an_interval_stays_where_values_can_be() -> None:
    tasks = [[1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0]]
    low, high = of("pass_rate", tasks).interval or (0, 0)
    assert 0.0 < low < 5 / 6 < high == 1.0


def test_about_95_of_100_intervals_hold_the_truth() -> None:
    dice = random.Random(7)
    held = 0
    for _ in range(400):
        chances = [dice.betavariate(2, 2) for _ in range(12)]
        tasks = [[float(dice.random() < chance) for _ in range(4)] for chance in chances]
        low, high = of("pass_rate", tasks).interval or (1, 0)
        held += low <= 0.5 <= high
    assert 0.925 <= held / 400 <= 0.985


@pytest.mark.parametrize("name", ["min", "max"])
def test_an_extreme_has_no_interval(name: str) -> None:
    found = of(name, CLUSTERS)
    assert (found.standard_error, found.interval, found.method) == (None, None, "")
    assert (found.value, found.n) == (0.0 if name == "min" else 1.0, 3)


@pytest.mark.parametrize("name", ["pass@3:unbiased", "pass^3:unbiased"])
def test_tasks_with_too_few_samples_are_behind_nothing(name: str) -> None:
    assert of(name, [[1.0, 0.0, 1.0], [1.0, 1.0], [0.0, 0.0, 0.0, 1.0]]).n == 2
    assert of(name, [[1.0, 1.0]]) == Estimate(None, 0)


# Bootstrap


class Median:
    """Median of the tasks' first rewards."""

    name = "median"
    bootstrap = True

    def compute(self, task_rewards: Sequence[Sequence[float]]) -> float | None:
        return statistics.median(rewards[0] for rewards in task_rewards)


def test_a_bootstrap_is_seeded_and_says_so() -> None:
    tasks = [[float(number)] for number in range(40)]
    found = estimate(Median(), tasks)
    assert found == estimate(Median(), tasks)
    assert (found.value, found.n, found.method, found.seed) == (19.5, 40, "bootstrap", SEED)
    low, high = found.interval or (0, 0)
    assert 8 < low < 19.5 < high < 31
    assert found.standard_error == pytest.approx(3.0, abs=0.8)


def test_a_sum_is_as_sure_as_the_mean_that_it_is_of() -> None:
    dice = random.Random(3)
    tasks = [[dice.random() for _ in range(2)] for _ in range(200)]
    total, mean = of("sum", tasks), of("mean", tasks)
    assert total.method == "bootstrap"
    assert total.standard_error == pytest.approx(400 * (mean.standard_error or 0), rel=0.1)


def test_draws_of_sums_are_the_same_however_they_are_cut(monkeypatch: Any) -> None:
    above = np.arange(50.0)
    whole = bootstrap_sums(above)
    monkeypatch.setattr("leaderboard.rules.intervals._AT_ONCE", 333)
    assert bootstrap_sums(above).tolist() == whole.tolist()
    assert whole.size == DRAWS
    assert bootstrap_sums(above, seed=1).tolist() != whole.tolist()


def test_what_would_take_minutes_is_left_out() -> None:
    one = [[1.0] * (MAX_DRAWN // DRAWS // 2 + 1)]
    assert estimate(Median(), one * 2) == Estimate(1.0, 2)


def test_a_draw_without_a_value_costs_the_interval_alone() -> None:
    class Picky(Median):
        def compute(self, task_rewards: Sequence[Sequence[float]]) -> float | None:
            firsts = {rewards[0] for rewards in task_rewards}
            return 1.0 if len(firsts) == 3 else None

    assert estimate(Picky(), [[1.0], [2.0], [3.0]]) == Estimate(1.0, 3)


# What a metric gives


@pytest.mark.parametrize("value", [math.nan, math.inf, "1", True, [1.0], 1j, np.bool_(True)])
def test_a_value_is_a_finite_number(value: object) -> None:
    with pytest.raises(InvalidValue):
        finite(value)


@pytest.mark.parametrize("value", [1, 1.0, np.float64(1), np.float32(1), np.int64(1)])
def test_numbers_of_numpy_are_numbers(value: object) -> None:
    assert type(finite(value)) is float
    assert finite(value) == 1.0


def test_packing_leaves_out_tasks_without_samples() -> None:
    values, lengths = pack([[], [1.0, 2], [], [3.5]])
    assert (values.tolist(), lengths.tolist()) == ([1.0, 2.0, 3.5], [2, 1])
    assert [part.size for part in pack([[], []])] == [0, 0]
