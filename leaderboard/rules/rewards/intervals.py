"""Standard errors over tasks, and 95 % intervals.

Samples of one task resemble each other, so only tasks are treated as independent. For a sum over
tasks divided by a sum over tasks (every mean and share, pooled or not) the error is the usual
cluster-robust (sandwich) one,

    SE = √( T/(T−1) · Σ (aₜ − m·bₜ)² ) / Σ bₜ,    m = Σ aₜ / Σ bₜ,

which for a mean over tasks (bₜ = 1) is their standard deviation divided by √T. The interval is
m ± t·SE with T−1 degrees of freedom: boards with a dozen tasks are common, and 1.96 would make
their intervals too narrow. A share of tasks that are wholly 0 or wholly 1, as with `pass@3`, has
Wilson's interval, which is also right at 0 of 10 and 10 of 10. A value is such a share if its
bounds are 0 and 1, because of the metric or because the challenge declares them; values that happen
to be 0 and 1 prove nothing.

Where tasks are repeats of one source, clusters of them are independent and take the place of tasks:
aₜ and bₜ are sums over a cluster, and the degrees of freedom are those of `rules.rewards.clusters`.
Wilson's interval does not apply to them.

Intervals end at the bounds of the value. If a bound is unknown and m ± t·SE exceeds the rewards
that occurred, it may exceed the possible ones as well; the bootstrap, which never does, replaces
it. Fewer than 5 tasks have no interval, because t covers 88 % for skewed rewards there instead of
95 %. Tasks that are all equal have none either, except for Wilson's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import chain
from statistics import NormalDist
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leaderboard.rules.rewards.clusters import (
    MIN_CLUSTERS,
    MIN_EFFECTIVE,
    cluster_sums,
    kept_tasks,
)
from leaderboard.rules.rewards.distributions import student_t, wilson
from leaderboard.rules.rewards.finite_mean import finite_mean

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Interval = tuple[float, float]
TaskRewards = Sequence[Sequence[float]]

IntervalReason = Literal["few_tasks", "few_groups", "no_spread", "not_estimated", "too_large"]
"""Why a value has no interval: it is over fewer than 5 tasks; its tasks form fewer than 8 clusters,
or very unequal ones; all tasks are equal; the metric does not say how sure it is; there are too
many rewards to draw from, or their squares overflow."""

MIN_TASKS: Final = 5
UNBOUNDED: Final[Interval] = (-math.inf, math.inf)

DRAWS = 1000
SEED = 20_251_104
MAX_DRAWN = 20_000_000
"""Rewards that a bootstrap may look at one by one; a metric of more than this divided by the draws
gets no interval, for it would wait minutes for it."""

_AT_ONCE = 1 << 16
"""Numbers drawn in one call; so many fit into the processor's nearest cache."""
_SHARE = (0.0, 1.0)
_ALIKE = 1e-12


class InvalidValue(ValueError):
    """A metric returned no finite number. The text is suitable for the participant."""


class Estimate(NamedTuple):
    """A value with its standard error and interval.

    n: the number of tasks. method: that of the interval, `t`, `wilson`, `bootstrap`, or "" for
    none. seed: that of the bootstrap. interval_reason: why a value has no interval. Values over two
    tasks or more have a standard error. needed: how many samples of a task the metric needs, if it
    has no value. clusters: the number of clusters that are independent; None if tasks are.
    """

    value: float | None
    n: int
    standard_error: float | None = None
    interval: Interval | None = None
    method: str = ""
    seed: int | None = None
    interval_reason: IntervalReason | None = None
    needed: int | None = None
    clusters: int | None = None


class Independent(NamedTuple):
    """What is independent of each other: tasks, or clusters of them.

    tasks: the number of tasks. units: how many of them, or of clusters. freedom: degrees of
    freedom. too_few: the reason if there are too few for an interval.
    """

    tasks: int
    units: int
    freedom: float
    too_few: IntervalReason | None

    @property
    def clusters(self) -> int | None:
        """The number of clusters; None if tasks are independent."""
        return None if self.units == self.tasks else self.units


class Packed(NamedTuple):
    """Rewards of all tasks in one array, task after task, and how many belong to each (≥ 1)."""

    values: Floats
    lengths: Counts


def pack(task_rewards: TaskRewards) -> Packed:
    """The rewards as arrays, without tasks that have no samples."""
    lengths = np.fromiter(map(len, task_rewards), np.int64, len(task_rewards))
    values = np.fromiter(chain.from_iterable(task_rewards), np.float64, int(lengths.sum()))
    return Packed(values, lengths[lengths > 0])


def estimate(
    metric: Any,
    task_rewards: TaskRewards,
    packed: Packed | None = None,
    rewards: Interval = UNBOUNDED,
    clusters: Sequence[int] = (),
) -> Estimate:
    """The value of a metric for some rewards, with an interval if the metric supports one.

    metric: an object with `compute`, and perhaps `parts`, `bootstrap` and `bounds` (see
    scorers/protocol.py). packed: `pack(task_rewards)`, if it is computed already. rewards: the
    lowest and the highest possible reward. clusters: the number of the cluster of each task, if
    tasks are not independent.
    Raises what the metric raises, and InvalidValue unless it returns a finite number or None.
    """
    packed = packed or pack(task_rewards)
    bounds = bounds_of(metric, packed.values, rewards)
    if len(clusters) == len(task_rewards):
        clusters = [number for number, values in zip(clusters, task_rewards, strict=True) if values]
    if packed.lengths.size and hasattr(metric, "parts"):
        above, below = metric.parts(*packed)
        if above.size:
            reward_range = (
                hull(packed.values) if getattr(metric, "bounds", None) == "rewards" else UNBOUNDED
            )
            if clusters and above.size != len(clusters):
                clusters = [clusters[at] for at in kept_tasks(metric, *packed)]
            return _of_parts(metric, above, below, bounds, reward_range, clusters)
    value = finite(metric.compute(task_rewards))
    tasks = int(packed.lengths.size)
    if value is None:
        return Estimate(None, 0, needed=getattr(metric, "k", None))
    if not getattr(metric, "bootstrap", False):
        return Estimate(value, tasks, interval_reason="not_estimated")
    drawn = _draws_by_computing(metric.compute, task_rewards, clusters)
    return _bootstrapped(value, drawn, independent(np.ones(tasks), clusters), bounds)


def bounds_of(metric: Any, values: Floats, rewards: Interval) -> Interval:
    """The lowest and the highest value that a metric can have.

    values: the rewards that it gets. rewards: their declared bounds, which are widened if values
    exceed them. A metric's `bounds` are two numbers, or `rewards`, `sum` or `count`.
    """
    match getattr(metric, "bounds", None):
        case "rewards" | "sum" as kind if values.size:
            value_range = hull(values)
            low, high = min(rewards[0], value_range[0]), max(rewards[1], value_range[1])
            times = values.size if kind == "sum" else 1
            return low * times, high * times
        case "count":
            return 0.0, float(values.size)
        case (low, high):
            return (-math.inf if low is None else low, math.inf if high is None else high)
    return UNBOUNDED


def mean_estimate(
    values: Sequence[float], bounds: Interval = UNBOUNDED, clusters: Sequence[int] = ()
) -> Estimate:
    """The plain mean of one value per task; at least one. Its interval stays within bounds.

    clusters: as for `estimate`.
    """
    above = np.array(values, dtype=float)
    return _of_mean(above, np.ones(above.size), bounds, hull(above), clusters)


def independent(below: Floats, clusters: Sequence[int] = ()) -> Independent:
    """What is independent. below: what each task adds to the denominator of the value."""
    tasks = int(below.size)
    if not clusters or len(set(clusters)) == tasks:
        return Independent(tasks, tasks, tasks - 1.0, "few_tasks" if tasks < MIN_TASKS else None)
    sums = cluster_sums(below, below, clusters)
    units = int(sums.below.size)
    enough = units >= MIN_CLUSTERS and sums.effective >= MIN_EFFECTIVE
    return Independent(tasks, units, sums.effective - 1.0, None if enough else "few_groups")


def hull(values: Floats) -> Interval:
    """The lowest and the highest of the values; at least one."""
    return float(np.min(values)), float(np.max(values))


def mean_of_groups(groups: Sequence[Estimate]) -> Estimate:
    """The mean of the values of groups of tasks; at least one, each with a value.

    The groups have no task in common, so the variances of their values add up, as in stratified
    sampling: SE = √(Σ SEg²) / G. There is none where a group has none, and no interval.
    """
    count = len(groups)
    value = finite_mean([one.value or 0.0 for one in groups])
    errors = [one.standard_error for one in groups if one.standard_error is not None]
    error = math.hypot(*errors) / count if len(errors) == count else None
    return Estimate(
        finite(value), sum(one.n for one in groups), error, interval_reason="not_estimated"
    )


def finite(value: object) -> float | None:
    """A metric's answer as a float. Raises InvalidValue unless it is a finite number or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InvalidValue(f"The metric returned a value of type {type(value).__name__[:60]}.")
    number = float(value)
    if not math.isfinite(number):
        raise InvalidValue(f"The metric returned {number}, not a finite number.")
    return number + 0.0


def _of_parts(
    metric: Any,
    above: Floats,
    below: Floats | None,
    bounds: Interval,
    reward_range: Interval,
    clusters: Sequence[int],
) -> Estimate:
    if below is not None:
        return _of_mean(above, below, bounds, reward_range, clusters)
    value, tasks = finite(above.sum()) or 0.0, int(above.size)
    if not getattr(metric, "bootstrap", False):
        return Estimate(value, tasks, interval_reason="not_estimated")
    units = independent(np.ones(tasks), clusters)
    sums = above if units.clusters is None else cluster_sums(above, np.ones(tasks), clusters).above
    return _bootstrapped(value, bootstrap_sums(sums), units, bounds)


def _of_mean(
    above: Floats,
    below: Floats,
    bounds: Interval,
    reward_range: Interval,
    clusters: Sequence[int],
) -> Estimate:
    units = independent(below, clusters)
    if units.clusters is not None:
        above, below, _ = cluster_sums(above, below, clusters)
    mean, error = clustered(above, below)
    result = Estimate(finite(mean), units.tasks, error, clusters=units.clusters)
    if error is None or units.too_few:
        return result._replace(interval_reason=units.too_few or "few_tasks")
    are_shares = units.clusters is None and bool(np.all((above == 0.0) | (above == below)))
    if bounds == _SHARE and are_shares:
        effective = float(below.sum() ** 2 / (below**2).sum())
        return result._replace(interval=wilson(mean * effective, effective), method="wilson")
    if error == 0.0 or _are_equal(above, below, mean):
        return result._replace(interval_reason="no_spread")
    reach = student_t(units.freedom) * error
    free = mean - reach, mean + reach
    if _may_be_impossible(free, bounds, reward_range):
        drawn = _drawn_means(above, below)
        return _bootstrapped(mean, drawn, units, bounds)._replace(standard_error=error)
    return result._replace(interval=_cut(free, bounds, mean), method="t")


def _are_equal(above: Floats, below: Floats, mean: float) -> bool:
    """Whether all tasks are equal to the mean, within the precision of floats."""
    return bool(np.abs(above - mean * below).max() <= _ALIKE * np.abs(above).max())


def _may_be_impossible(interval: Interval, bounds: Interval, reward_range: Interval) -> bool:
    """Whether an interval exceeds the values that occurred on a side without a bound."""
    below = bounds[0] == -math.inf and interval[0] < reward_range[0]
    return below or (bounds[1] == math.inf and interval[1] > reward_range[1])


def _cut(interval: Interval, bounds: Interval, value: float) -> Interval:
    """The part of the interval within the bounds; it always contains the value."""
    return max(interval[0], min(bounds[0], value)), min(interval[1], max(bounds[1], value))


def clustered(above: Floats, below: Floats) -> tuple[float, float | None]:
    """Σ above / Σ below and its standard error over tasks; None for a single task.

    above, below: what each task adds to the numerator and to the denominator.
    """
    total = float(below.sum())
    mean = float(above.sum()) / total
    tasks = above.size
    if tasks < 2:
        return mean, None
    residuals = above - mean * below
    with np.errstate(over="ignore"):  # squares of numbers beyond 10^154 are infinite
        squares = float(residuals @ residuals)
    return mean, math.sqrt(tasks / (tasks - 1) * squares) / total


def bootstrap_sums(above: Floats) -> Floats:
    """Sums of `DRAWS` samples of as many tasks, drawn with repeats. above: one number per task."""
    dice = np.random.default_rng(SEED)
    tasks = above.size
    rows = max(1, _AT_ONCE // tasks)
    sizes = [min(rows, DRAWS - done) for done in range(0, DRAWS, rows)]
    drawn = [above.take(dice.integers(tasks, size=(size, tasks))).sum(axis=1) for size in sizes]
    return np.concatenate(drawn)


def _drawn_means(above: Floats, below: Floats) -> Floats | IntervalReason:
    """Σ above / Σ below of `DRAWS` draws of as many tasks; both sums are over the same tasks."""
    if above.size * DRAWS > MAX_DRAWN:
        return "too_large"
    return bootstrap_sums(above) / bootstrap_sums(below)


def _draws_by_computing(
    compute: Callable[[TaskRewards], float | None],
    task_rewards: TaskRewards,
    clusters: Sequence[int],
) -> Floats | IntervalReason:
    """A metric's values of `DRAWS` draws, or the reason why there is no interval."""
    tasks = [rewards for rewards in task_rewards if rewards]
    units = _units(len(tasks), clusters)
    if sum(map(len, tasks)) * DRAWS > MAX_DRAWN:
        return "too_large"
    dice = np.random.default_rng(SEED)
    drawn = np.empty(DRAWS)
    for draw in range(DRAWS):
        units_drawn = dice.integers(len(units), size=len(units))
        picked = [tasks[task] for unit in units_drawn for task in units[unit]]
        value = finite(compute(picked))
        if value is None:
            return "not_estimated"
        drawn[draw] = value
    return drawn


def _units(tasks: int, clusters: Sequence[int]) -> list[list[int]]:
    """The tasks of each cluster, by their numbers; of each task alone without clusters."""
    units: dict[int, list[int]] = {}
    for task in range(tasks):
        units.setdefault(clusters[task] if clusters else task, []).append(task)
    return list(units.values())


def _bootstrapped(
    value: float, drawn: Floats | IntervalReason, units: Independent, bounds: Interval
) -> Estimate:
    """The interval between two quantiles of the draws.

    They are not 2.5 % and 97.5 %, which cover 85 % at five tasks, but a little further out: so far
    that the interval of a mean is as wide as Student's (the expanded percentile interval of
    Hesterberg 2015, "What Teachers Should Know About the Bootstrap").
    """
    error = None if units.units < 2 or isinstance(drawn, str) else float(drawn.std(ddof=1))
    result = Estimate(value, units.tasks, error, clusters=units.clusters)
    if units.too_few:
        return result._replace(interval_reason=units.too_few)
    if isinstance(drawn, str):
        return result._replace(interval_reason=drawn)
    widened = math.sqrt(units.units / (units.units - 1)) * student_t(units.freedom)
    tail = NormalDist().cdf(-widened)
    low, high = map(float, np.quantile(drawn, (tail, 1 - tail)))
    if high - low <= _ALIKE * max(abs(low), abs(high)):
        return result._replace(interval_reason="no_spread")
    interval = _cut((low, high), bounds, value)
    return result._replace(interval=interval, method="bootstrap", seed=SEED)
