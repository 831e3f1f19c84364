"""Standard errors over tasks, and intervals: against worked examples and by drawing."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.distributions import student_t, wilson
from leaderboard.rules.intervals import (
    DRAWS,
    MAX_DRAWN,
    SEED,
    UNBOUNDED,
    Estimate,
    Interval,
    InvalidValue,
    bootstrap_sums,
    clustered,
    estimate,
    finite,
    mean_estimate,
    pack,
)
from scorers.metrics.registry import shipped

CLUSTERS = [[1, 1, 1, 0], [0, 0, 0, 1], [1, 1, 1, 1]]


def of(
    name: str, task_rewards: Sequence[Sequence[float]], rewards: Interval = UNBOUNDED
) -> Estimate:
    return estimate(shipped().get(name)(), task_rewards, rewards=rewards)


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
    assert of("mean", [[0.25, 0.75]]) == Estimate(0.5, 1, interval_reason="few_tasks")
    assert mean_estimate([5.0]) == Estimate(5.0, 1, interval_reason="few_tasks")
    assert of("pass@1", [[1.0]]) == Estimate(1.0, 1, interval_reason="few_tasks")
    assert of("sum", [[1.0]]) == Estimate(1.0, 1, interval_reason="few_tasks")


# Intervals


@pytest.mark.parametrize(
    ("passed", "tasks", "low", "high"),
    [
        (7, 10, 0.396778, 0.892209),
        (10, 10, 0.722467, 1.0),
        (0, 10, 0.0, 0.277533),
        (0, 5, 0.0, 0.434482),
        (2, 5, 0.117621, 0.769276),
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
    uneven = of("pass_rate", [[1.0] * 9, *[[0.0]] * 4])
    assert uneven.method == "wilson"
    effective = 13**2 / (81 + 4)
    assert uneven.interval == pytest.approx(wilson(9 / 13 * effective, effective), abs=1e-12)


@pytest.mark.parametrize("name", ["mean", "mean_reward", "avg"])
def test_a_mean_is_a_share_where_its_reward_is_declared_so(name: str) -> None:
    solved = [[1.0]] * 7 + [[0.0]] * 3
    assert of(name, solved, (0.0, 1.0)).interval == pytest.approx((0.396778, 0.892209), abs=5e-7)
    assert of(name, solved, (0.0, 1.0)).method == "wilson"
    assert of(name, [[0.0]] * 5, (0.0, 1.0)).interval == pytest.approx((0.0, 0.434482), abs=5e-7)
    assert of(name, [*solved, [0.5]], (0.0, 1.0)).method == "t"


@pytest.mark.parametrize("rewards", [UNBOUNDED, (0.0, 100.0), (0.0, inf), (-1.0, 1.0)])
def test_zeros_and_ones_prove_no_share(rewards: Interval) -> None:
    zeros = of("mean", [[0.0]] * 5, rewards)
    assert (zeros.value, zeros.interval, zeros.interval_reason) == (0.0, None, "no_spread")
    mixed = of("mean", [[1.0]] * 6 + [[0.0]] * 4, rewards)
    assert mixed.method == "t"
    reach = 2.262157 * math.sqrt(0.6 * 0.4 / 9)
    assert mixed.interval == pytest.approx((0.6 - reach, 0.6 + reach))


@pytest.mark.parametrize(("rewards", "top"), [((0.0, 100.0), 1.2), ((-1.0, 1.0), 1.0)])
def test_t_reaches_as_far_as_the_declared_bounds(rewards: Interval, top: float) -> None:
    found = of("mean", [[1.0]] * 9 + [[0.0]], rewards)
    low, high = found.interval or (0.0, 0.0)
    assert found.method == "t"
    assert 0.6 < low < 0.9 < high <= top
    assert (high > 1.0) == (rewards[1] > 1.0)


@pytest.mark.parametrize("name", ["mean", "mean_reward", "avg", "weighted_mean"])
@pytest.mark.parametrize("rewards", [UNBOUNDED, (0.0, inf), (-inf, 100.0)])
def test_without_a_bound_no_interval_leaves_the_rewards_that_were_seen(
    name: str, rewards: Interval
) -> None:
    for solved, failed in [(9, 1), (1, 9), (4, 1), (29, 1), (1, 29)]:
        tasks = [[1.0]] * solved + [[0.0]] * failed
        found, free = of(name, tasks, rewards), of(name, tasks, (-100.0, 100.0))
        low, high = found.interval or (inf, -inf)
        assert low <= solved / (solved + failed) <= high
        assert low >= (0.0 if rewards[0] == -inf else rewards[0])
        assert high <= (1.0 if rewards[1] == inf else rewards[1])
        assert found.standard_error == free.standard_error
        if found.method == "bootstrap":
            assert found.seed == SEED
            assert free.interval is not None
            assert min(free.interval) < 0.0 or max(free.interval) > 1.0


def test_where_that_would_take_minutes_there_is_none() -> None:
    tasks = MAX_DRAWN // DRAWS + 1
    found = mean_estimate([1.0] * (tasks - 1) + [0.0])
    assert (found.interval, found.interval_reason) == (None, "too_large")
    assert mean_estimate([1.0] * 100 + [0.0]).method == "bootstrap"
    assert mean_estimate([1.0, 0.0] * tasks).method == "t"


@pytest.mark.parametrize("name", ["mean", "avg", "mean_reward", "pass_rate"])
@given(st.lists(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=4), min_size=5, max_size=12))
def test_no_interval_leaves_what_was_seen_unless_bounds_say_more(
    name: str, tasks: list[list[float]]
) -> None:
    if name == "pass_rate":
        tasks = [[float(reward > 0) for reward in task] for task in tasks]
    low, high = of(name, tasks).interval or (0.0, 0.0)
    seen = [reward for task in tasks for reward in task]
    if (low, high) != (0.0, 0.0):
        slack = 1e-9 * (abs(low) + abs(high))
        bounds = (0.0, 1.0) if name == "pass_rate" else (min(seen), max(seen))
        assert bounds[0] - slack <= low <= high <= bounds[1] + slack


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
    tasks = [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [0.0, 1.0], [1.0, 1.0]]
    low, high = of("pass_rate", tasks).interval or (0, 0)
    assert 0.0 < low < 0.9 < high == 1.0
    low, high = of("mean", tasks, (0.0, 100.0)).interval or (0, 0)
    assert high > 1.0
    assert of("mean", tasks, (0.0, 1.0)).interval == (low, 1.0)
    assert of("mean", tasks, (0.8, 100.0)).interval == (low, high), "0.0 was seen"


@pytest.mark.parametrize(
    ("rewards", "low", "high"), [((0.0, 100.0), 0.0, 700.0), ((-inf, 100.0), None, 700.0)]
)
def test_a_sum_stays_within_as_many_rewards(
    rewards: Interval, low: float | None, high: float
) -> None:
    tasks = [[100.0, 100.0], [100.0], [0.0], [100.0], [100.0], [0.0]]
    free, found = of("sum", tasks).interval or (0, 0), of("sum", tasks, rewards).interval or (0, 0)
    assert found == (max(free[0], -inf if low is None else low), min(free[1], high))
    assert free[1] > high


@pytest.mark.parametrize("name", ["mean", "median", "percentile@50", "weighted_mean"])
def test_a_number_among_rewards_stays_within_their_bounds(name: str) -> None:
    tasks = [[1.0], [1.0], [0.9], [0.9], [0.0], [1.0]]
    free, found = of(name, tasks).interval, of(name, tasks, (0.0, 0.95)).interval
    assert free is not None
    assert found is not None
    assert max(free) >= 1.0 >= found[1]
    assert found[0] >= 0.0


@pytest.mark.parametrize("name", ["wins", "losses"])
def test_a_count_stays_within_the_number_of_samples(name: str) -> None:
    solved = 1.0 if name == "wins" else 0.0
    tasks = [[solved] * 4, [solved], [solved], [solved], [1 - solved]]
    low, high = of(name, tasks).interval or (0, 0)
    assert (of(name, tasks).value, high) == (7.0, 8.0)
    assert low >= 0.0


def test_the_bounds_of_a_metric_may_be_open() -> None:
    class Half(Median):
        bounds = (0, None)

    class Odd(Median):
        bounds = "whatever"

    tasks = [[0.0], [0.0], [0.0], [5.0], [40.0], [90.0]]
    free = estimate(Median(), tasks).interval
    assert free is not None
    assert estimate(Odd(), tasks).interval == free
    assert estimate(Half(), tasks).interval == (max(free[0], 0.0), free[1])


def test_a_value_outside_the_bounds_of_its_metric_is_in_its_interval() -> None:
    found = mean_estimate([2.0, 2.1, 2.2, 2.3, 2.4], (0.0, 1.0))
    low, high = found.interval or (0, 0)
    assert low < 2.2 == high


@pytest.mark.parametrize("name", ["mean", "pass_rate", "pass@1", "mean_reward", "sum"])
def test_fewer_than_five_tasks_have_no_interval(name: str) -> None:
    for tasks in (1, 2, 3, 4):
        found = of(name, [[1.0], [0.0], [1.0], [0.0]][:tasks], (0.0, 1.0))
        assert (found.interval, found.interval_reason) == (None, "few_tasks")
        assert found.method == ""
        assert (found.standard_error is None) == (tasks == 1)
    found = of(name, [[1.0], [0.0], [1.0], [0.0], [1.0]], (0.0, 1.0))
    assert (found.interval is not None, found.interval_reason) == (True, None)


@given(st.floats(-1e9, 1e9), st.integers(5, 60), st.integers(1, 3))
def test_tasks_that_are_all_equal_have_no_interval(value: float, tasks: int, samples: int) -> None:
    for name in ("mean", "mean_reward", "sum"):
        found = of(name, [[value] * samples] * tasks)
        assert (found.interval, found.interval_reason) == (None, "no_spread")
    half = of("pass_rate", [[1.0, 0.0]] * tasks)
    assert (half.value, half.interval, half.interval_reason) == (0.5, None, "no_spread")


@given(
    st.lists(st.lists(st.floats(-3, 7), min_size=1, max_size=4), min_size=1, max_size=12),
    st.sampled_from(["mean", "mean_reward", "sum", "pass_rate", "pass@2", "pass^2", "min"]),
    st.sampled_from([UNBOUNDED, (-3.0, 7.0), (-3.0, inf), (0.0, 1.0)]),
)
def test_an_interval_holds_its_value_and_has_a_width_or_a_reason(
    tasks: list[list[float]], name: str, rewards: Interval
) -> None:
    found = of(name, tasks, rewards)
    assert (found.interval is None) == (found.interval_reason is not None)
    assert (found.interval is None) == (found.method == "")
    if found.interval is None or found.value is None:
        return
    low, high = found.interval
    assert low < high
    assert low <= found.value <= high
    if rewards == (-3.0, 7.0) and name.startswith("mean"):
        assert (low, high) == (max(low, -3.0), min(high, 7.0))


# How often intervals hold the truth

SKEWED = {
    "normal": (lambda dice, size: dice.normal(0, 1, size), 0.0),
    "uniform": (lambda dice, size: dice.random(size), 0.5),
    "u-shaped": (lambda dice, size: dice.beta(0.5, 0.5, size), 0.5),
    "skewed": (lambda dice, size: dice.beta(5, 2, size), 5 / 7),
}


def covered(name: str, draw: Any, truth: float, tasks: int, times: int) -> float:
    dice = np.random.default_rng(7)
    found = (of(name, draw(dice, (tasks, 1)).tolist()).interval or (1, 0) for _ in range(times))
    truth *= tasks if name == "sum" else 1
    return sum(low <= truth <= high for low, high in found) / times


@pytest.mark.parametrize("tasks", [8, 12, 30])
@pytest.mark.parametrize("shape", SKEWED)
def test_t_covers_about_94_of_100_from_8_tasks_on(shape: str, tasks: int) -> None:
    assert 0.92 <= covered("mean", *SKEWED[shape], tasks=tasks, times=2000) <= 0.97


@pytest.mark.parametrize("tasks", [5, 8, 12])
@pytest.mark.parametrize("shape", ["normal", "uniform"])
def test_the_bootstrap_covers_nearly_as_much_as_t(shape: str, tasks: int) -> None:
    # The plain quantiles of 2.5 % and 97.5 % would cover 0.84 at 5 tasks and 0.88 at 8.
    assert 0.90 <= covered("sum", *SKEWED[shape], tasks=tasks, times=500) <= 0.98


@pytest.mark.parametrize("tasks", [5, 8, 10, 20, 100])
def test_wilson_covers_at_least_93_of_100(tasks: int) -> None:
    # Exact: over all outcomes, on average over all shares.
    shares = (np.arange(1000) + 0.5) / 1000
    found = [wilson(passed, tasks) for passed in range(tasks + 1)]
    held = sum(
        math.comb(tasks, passed)
        * shares**passed
        * (1 - shares) ** (tasks - passed)
        * ((low <= shares) & (shares <= high))
        for passed, (low, high) in enumerate(found)
    )
    assert 0.945 <= np.mean(held) <= 0.96
    assert np.mean(np.asarray(held) >= 0.93) >= 0.75, "for three shares of four, and"
    assert np.min(held) > 0.83, "by the edges, where shares are near 0 and 1"


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
    assert found.interval_reason == "not_estimated"
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
    assert estimate(Median(), one * 5) == Estimate(1.0, 5, interval_reason="too_large")


def test_a_draw_without_a_value_costs_the_interval_alone() -> None:
    class Picky(Median):
        def compute(self, task_rewards: Sequence[Sequence[float]]) -> float | None:
            firsts = {rewards[0] for rewards in task_rewards}
            return 1.0 if len(firsts) == 3 else None

    tasks = [[1.0], [2.0], [3.0], [1.0], [2.0]]
    assert estimate(Picky(), tasks) == Estimate(1.0, 5, interval_reason="not_estimated")


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
