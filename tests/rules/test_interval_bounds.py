"""Intervals stay within the declared bounds or the observed rewards."""

from __future__ import annotations

from math import inf

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.rewards.intervals import SEED, UNBOUNDED, Interval, estimate, mean_estimate
from tests.rules.estimates import Median, of


def test_a_t_interval_may_extend_to_the_declared_bounds() -> None:
    cases: list[tuple[Interval, float]] = [((0.0, 100.0), 1.2), ((-1.0, 1.0), 1.0)]
    for rewards, top in cases:
        estimated = of("mean", [[1.0]] * 9 + [[0.0]], rewards)
        low, high = estimated.interval or (0.0, 0.0)
        assert estimated.method == "t", rewards
        assert 0.6 < low < 0.9 < high <= top, rewards
        assert (high > 1.0) == (rewards[1] > 1.0), rewards


def test_without_bounds_an_interval_stays_within_the_observed_rewards() -> None:
    for name in ("mean", "mean_reward", "avg", "weighted_mean"):
        for rewards in (UNBOUNDED, (0.0, inf), (-inf, 100.0)):
            for solved, failed in [(9, 1), (1, 9), (4, 1), (29, 1), (1, 29)]:
                tasks = [[1.0]] * solved + [[0.0]] * failed
                bounded, free = of(name, tasks, rewards), of(name, tasks, (-100.0, 100.0))
                low, high = bounded.interval or (inf, -inf)
                assert low <= solved / (solved + failed) <= high, name
                assert low >= (0.0 if rewards[0] == -inf else rewards[0]), name
                assert high <= (1.0 if rewards[1] == inf else rewards[1]), name
                assert bounded.standard_error == free.standard_error, name
                if bounded.method == "bootstrap":
                    assert bounded.seed == SEED, name
                    assert free.interval is not None, name
                    assert min(free.interval) < 0.0 or max(free.interval) > 1.0, name


@given(st.lists(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=4), min_size=5, max_size=12))
def test_any_interval_without_bounds_stays_within_the_observed_rewards(
    tasks: list[list[float]],
) -> None:
    all_rewards = [reward for task in tasks for reward in task]
    passing = [[float(reward > 0) for reward in task] for task in tasks]
    observed = {
        name: (tasks, min(all_rewards), max(all_rewards)) for name in ("mean", "avg", "mean_reward")
    }
    for name, (rewards, least, most) in {**observed, "pass_rate": (passing, 0.0, 1.0)}.items():
        interval = of(name, rewards).interval
        if interval is not None:
            low, high = interval
            slack = 1e-9 * (abs(low) + abs(high))
            assert least - slack <= low <= high <= most + slack, name


def test_an_interval_stays_within_the_declared_bounds() -> None:
    tasks = [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [0.0, 1.0], [1.0, 1.0]]
    low, high = of("pass_rate", tasks).interval or (0, 0)
    assert 0.0 < low < 0.9 < high == 1.0
    low, high = of("mean", tasks, (0.0, 100.0)).interval or (0, 0)
    assert high > 1.0
    assert of("mean", tasks, (0.0, 1.0)).interval == (low, 1.0)
    assert of("mean", tasks, (0.8, 100.0)).interval == (low, high), "0.0 was seen"


def test_the_interval_of_a_sum_stays_within_its_possible_values() -> None:
    cases: list[tuple[Interval, float | None, float]] = [
        ((0.0, 100.0), 0.0, 700.0),
        ((-inf, 100.0), None, 700.0),
    ]
    for rewards, low, high in cases:
        tasks = [[100.0, 100.0], [100.0], [0.0], [100.0], [100.0], [0.0]]
        free, bounded = (
            of("sum", tasks).interval or (0, 0),
            of("sum", tasks, rewards).interval or (0, 0),
        )
        assert bounded == (max(free[0], -inf if low is None else low), min(free[1], high)), rewards
        assert free[1] > high, rewards


def test_the_interval_of_an_average_stays_within_the_bounds_of_rewards() -> None:
    for name in ("mean", "median", "percentile@50", "weighted_mean"):
        tasks = [[1.0], [1.0], [0.9], [0.9], [0.0], [1.0]]
        free, bounded = of(name, tasks).interval, of(name, tasks, (0.0, 0.95)).interval
        assert free is not None, name
        assert bounded is not None, name
        assert max(free) >= 1.0 >= bounded[1], name
        assert bounded[0] >= 0.0, name


def test_the_interval_of_a_count_stays_within_the_number_of_samples() -> None:
    for name in ("wins", "losses"):
        solved = 1.0 if name == "wins" else 0.0
        tasks = [[solved] * 4, [solved], [solved], [solved], [1 - solved]]
        low, high = of(name, tasks).interval or (0, 0)
        assert (of(name, tasks).value, high) == (7.0, 8.0), name
        assert low >= 0.0, name


def test_the_bounds_of_a_metric_may_have_an_open_end() -> None:
    class Half(Median):
        bounds = (0, None)

    class Odd(Median):
        bounds = "whatever"

    tasks = [[0.0], [0.0], [0.0], [5.0], [40.0], [90.0]]
    free = estimate(Median(), tasks).interval
    assert free is not None
    assert estimate(Odd(), tasks).interval == free
    assert estimate(Half(), tasks).interval == (max(free[0], 0.0), free[1])


def test_an_interval_contains_a_value_outside_the_bounds() -> None:
    estimated = mean_estimate([2.0, 2.1, 2.2, 2.3, 2.4], (0.0, 1.0))
    low, high = estimated.interval or (0, 0)
    assert low < 2.2 == high
