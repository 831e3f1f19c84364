"""The method of an interval, compared with worked examples, and reasons for its absence."""

from __future__ import annotations

import math
import statistics
from math import inf

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leaderboard.rules.rewards.distributions import student_t, wilson
from leaderboard.rules.rewards.intervals import UNBOUNDED, Interval
from tests.rules.estimates import CLUSTERS, of


def test_wilson_for_tasks_that_are_0_or_1() -> None:
    cases: list[tuple[int, int, float, float]] = [
        (7, 10, 0.396778, 0.892209),
        (10, 10, 0.722467, 1.0),
        (0, 10, 0.0, 0.277533),
        (0, 5, 0.0, 0.434482),
        (2, 5, 0.117621, 0.769276),
    ]
    for passed, tasks, low, high in cases:
        assert wilson(passed, tasks) == pytest.approx((low, high), abs=5e-7), passed
        estimate = of("pass@1", [[1.0]] * passed + [[0.0]] * (tasks - passed))
        assert (estimate.value, estimate.n, estimate.method) == (
            passed / tasks,
            tasks,
            "wilson",
        ), passed
        assert estimate.interval == pytest.approx((low, high), abs=5e-7), passed


@given(st.integers(0, 60), st.integers(1, 60))
def test_wilson_contains_the_share_and_is_symmetric(passed: int, tasks: int) -> None:
    passed = min(passed, tasks)
    low, high = wilson(passed, tasks)
    assert 0.0 <= low <= passed / tasks <= high <= 1.0
    assert (low == 0.0, high == 1.0) == (passed == 0, passed == tasks)
    mirrored = wilson(tasks - passed, tasks)
    assert (1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-12)


def test_tasks_whose_samples_all_agree_have_a_wilson_interval() -> None:
    estimate = of("pass_rate", [[1.0, 1.0, 1.0]] * 10)
    assert estimate.interval == pytest.approx((0.722467, 1.0), abs=5e-7)
    uneven = of("pass_rate", [[1.0] * 9, *[[0.0]] * 4])
    assert uneven.method == "wilson"
    effective = 13**2 / (81 + 4)
    assert uneven.interval == pytest.approx(wilson(9 / 13 * effective, effective), abs=1e-12)


def test_a_mean_of_a_reward_from_0_to_1_is_a_share() -> None:
    for name in ("mean", "mean_reward", "avg"):
        solved = [[1.0]] * 7 + [[0.0]] * 3
        assert of(name, solved, (0.0, 1.0)).interval == pytest.approx(
            (0.396778, 0.892209), abs=5e-7
        )
        assert of(name, solved, (0.0, 1.0)).method == "wilson", name
        assert of(name, [[0.0]] * 5, (0.0, 1.0)).interval == pytest.approx(
            (0.0, 0.434482), abs=5e-7
        )
        assert of(name, [*solved, [0.5]], (0.0, 1.0)).method == "t", name


def test_zeros_and_ones_without_declared_bounds_are_no_share() -> None:
    for rewards in (UNBOUNDED, (0.0, 100.0), (0.0, inf), (-1.0, 1.0)):
        zeros = of("mean", [[0.0]] * 5, rewards)
        assert (zeros.value, zeros.interval, zeros.interval_reason) == (0.0, None, "no_spread")
        mixed = of("mean", [[1.0]] * 6 + [[0.0]] * 4, rewards)
        assert mixed.method == "t", rewards
        reach = 2.262157 * math.sqrt(0.6 * 0.4 / 9)
        assert mixed.interval == pytest.approx((0.6 - reach, 0.6 + reach)), rewards


# From common tables, to five digits.
def test_the_quantiles_of_students_t_are_those_of_common_tables() -> None:
    cases: list[tuple[int, float]] = [
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
    ]
    for freedom, quantile in cases:
        assert student_t(freedom) == pytest.approx(quantile, abs=5.1e-6), freedom


def test_few_tasks_make_wide_intervals() -> None:
    physics = [65, 72, 58, 81, 45, 67, 73, 59, 68, 74]
    estimate = of("mean", [[value] for value in physics])
    error = statistics.stdev(physics) / math.sqrt(10)
    assert estimate.method == "t"
    assert estimate.interval == pytest.approx(
        (66.2 - 2.26216 * error, 66.2 + 2.26216 * error), abs=1e-3
    )
    assert estimate.interval == pytest.approx((58.9, 73.5), abs=0.05)


def test_fewer_than_five_tasks_have_no_interval() -> None:
    for name in ("mean", "pass_rate", "pass@1", "mean_reward", "sum"):
        for tasks in (1, 2, 3, 4):
            estimate = of(name, [[1.0], [0.0], [1.0], [0.0]][:tasks], (0.0, 1.0))
            assert (estimate.interval, estimate.interval_reason) == (None, "few_tasks"), name
            assert estimate.method == "", name
            assert (estimate.standard_error is None) == (tasks == 1), name
        estimate = of(name, [[1.0], [0.0], [1.0], [0.0], [1.0]], (0.0, 1.0))
        assert (estimate.interval is not None, estimate.interval_reason) == (True, None), name


@given(st.floats(-1e9, 1e9), st.integers(5, 60), st.integers(1, 3))
def test_equal_tasks_have_no_interval(value: float, tasks: int, samples: int) -> None:
    for name in ("mean", "mean_reward", "sum"):
        estimate = of(name, [[value] * samples] * tasks)
        assert (estimate.interval, estimate.interval_reason) == (None, "no_spread")
    half = of("pass_rate", [[1.0, 0.0]] * tasks)
    assert (half.value, half.interval, half.interval_reason) == (0.5, None, "no_spread")


@given(
    st.lists(st.lists(st.floats(-3, 7), min_size=1, max_size=4), min_size=1, max_size=12),
    st.sampled_from(["mean", "mean_reward", "sum", "pass_rate", "pass@2", "pass^2", "min"]),
    st.sampled_from([UNBOUNDED, (-3.0, 7.0), (-3.0, inf), (0.0, 1.0)]),
)
@example([[0.0]] * 4 + [[4.9e-194]], "mean", UNBOUNDED)  # the squares of such numbers are 0
@example([[0.0]] * 4 + [[4.9e-194]], "mean", (-3.0, 7.0))
@example([[0.0]] * 4 + [[5e-324]], "sum", (-3.0, inf))
def test_an_interval_contains_its_value_or_has_a_reason_for_its_absence(
    tasks: list[list[float]], name: str, rewards: Interval
) -> None:
    estimate = of(name, tasks, rewards)
    assert (estimate.interval is None) == (estimate.interval_reason is not None)
    assert (estimate.interval is None) == (estimate.method == "")
    if estimate.interval is None or estimate.value is None:
        return
    low, high = estimate.interval
    assert low < high
    assert low <= estimate.value <= high
    if rewards == (-3.0, 7.0) and name.startswith("mean"):
        assert (low, high) == (max(low, -3.0), min(high, 7.0))


def test_a_minimum_or_maximum_has_no_interval() -> None:
    for name in ("min", "max"):
        estimate = of(name, CLUSTERS)
        assert (estimate.standard_error, estimate.interval, estimate.method) == (
            None,
            None,
            "",
        ), name
        assert estimate.interval_reason == "not_estimated", name
        assert (estimate.value, estimate.n) == (0.0 if name == "min" else 1.0, 3), name


def test_tasks_with_too_few_samples_do_not_count() -> None:
    for name in ("pass@3:unbiased", "pass^3:unbiased"):
        assert of(name, [[1.0, 0.0, 1.0], [1.0, 1.0], [0.0, 0.0, 0.0, 1.0]]).n == 2, name
        alone = of(name, [[1.0, 1.0]])
        assert (alone.value, alone.n, alone.needed) == (None, 0, 3), name
