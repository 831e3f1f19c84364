"""Two entries, metric by metric: differences, the tasks where they differ, and ratios."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from leaderboard.rules.rewards.distributions import student_t
from leaderboard.rules.rewards.intervals import Interval
from leaderboard.rules.sortkey import PRECISION, Direction
from leaderboard.rules.statistics.comparisons import Comparison, compare
from leaderboard.rules.statistics.pairwise import MIN_SHARED
from leaderboard.rules.statistics.parts import Counts, TaskParts
from leaderboard.rules.statistics.probabilities import LEVEL, holm
from leaderboard.rules.statistics.verdict_sentences import FormatValue, few_groups, shortly
from leaderboard.rules.texts.messages import Message, counted, message

_NO_SPREAD: Final = 1e-9

Better = Literal["first", "second"]


@dataclass(frozen=True, slots=True)
class Ratio:
    """The first value divided by the second, on the tasks that both have, and its 95 % interval.
    The interval is None below 8 of these tasks, if all tasks have the same ratio, or if one or two
    tasks make up nearly the whole sum."""

    value: float
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric of two entries.

    comparison: over the tasks that both have. corrected: its p value, corrected for all metrics
    that are compared (Holm). better: which entry is certainly better, None if that cannot be said.
    differing: the tasks with different values, by column, the largest difference first. ratio: None
    if a value is 0 or less.
    """

    comparison: Comparison
    corrected: float | None
    better: Better | None
    differing: tuple[int, ...]
    ratio: Ratio | None


def compare_metrics(metrics: Mapping[str, TaskParts]) -> dict[str, MetricComparison]:
    """Two entries by each metric, with one correction for all.

    metrics: by name, the parts of the two entries (2 × tasks) with the metric's direction.
    """
    comparisons = {name: compare(parts) for name, parts in metrics.items()}
    p = np.array(
        [math.nan if comparison.p is None else comparison.p for comparison in comparisons.values()]
    )
    corrected = holm(p).tolist()
    return {
        name: MetricComparison(
            comparisons[name],
            None if math.isnan(one) else one,
            is_better(parts.direction, comparisons[name].difference, one),
            tuple(differing_tasks(parts).tolist()),
            ratio(parts),
        )
        for (name, parts), one in zip(metrics.items(), corrected, strict=True)
    }


def differing_tasks(parts: TaskParts) -> Counts:
    """The shared tasks on which two entries have different values, the largest difference first."""
    first, second = parts.task_values
    difference = np.round(np.abs(first - second), PRECISION)
    order = np.argsort(-difference, kind="stable")
    return np.asarray(order[difference[order] > 0.0])


def ratio(parts: TaskParts) -> Ratio | None:
    """The first value divided by the second, such as of cost: over the tasks that both have.

    The interval is Student's t interval for the logarithm, with the jackknife's standard error: how
    much the logarithm changes if one task is left out. A few expensive tasks may dominate the
    ratio. So the degrees of freedom come from the effective number of tasks, 1 / Σ w², where w is
    the share of a task in the two sums. In simulations with 8 tasks whose costs differ tenfold, a
    plain t interval contained the true ratio in 77 to 86 of 100 cases, this one in 95. Clusters of
    tasks take the place of tasks.
    """
    shared = parts.shared().by_cluster()
    above, below = shared.above, shared.below
    sums = above.sum(axis=1, keepdims=True)
    if not above.shape[1] or sums.min() <= 0.0:
        return None
    totals = below.sum(axis=1, keepdims=True)
    means = sums / totals
    value = float(means[0, 0] / means[1, 0])
    shares = np.mean(above / sums, axis=0)
    freedom = int(1.0 / float(shares @ shares)) - 1
    without = sums - above
    if above.shape[1] < MIN_SHARED or freedom < 2 or without.min() <= 0.0:
        return Ratio(value)
    logs = np.log(without / (totals - below))
    changes = logs[0] - logs[1] - math.log(value)
    error = math.sqrt((1.0 - 1.0 / changes.size) * float(changes @ changes))
    if error <= _NO_SPREAD:
        return Ratio(value)
    reach = math.exp(student_t(freedom) * error)
    return Ratio(value, (value / reach, value * reach))


def sentence(
    compared: MetricComparison, names: tuple[object, object], format_value: FormatValue = shortly
) -> Message:
    """The comparison of two entries by one metric. names: of the two entries."""
    comparison = compared.comparison
    first, second = names
    if comparison.difference is None:
        return message("{first} and {second} share no task.", first=first, second=second)
    difference = format_value(abs(comparison.difference))
    if comparison.reason == "few_groups":
        return few_groups(comparison.clusters or 0, comparison.shared)
    if comparison.p is None:
        return counted(
            "{count} shared task is too few to tell {first} and {second} apart.",
            "{count} shared tasks are too few to tell {first} and {second} apart.",
            count=comparison.shared,
            first=first,
            second=second,
        )
    if compared.better is None:
        return counted(
            "{first} and {second} cannot be told apart on {count} task: they differ by"
            " {difference}.",
            "{first} and {second} cannot be told apart on {count} tasks: they differ by"
            " {difference}.",
            count=comparison.shared,
            first=first,
            second=second,
            difference=difference,
        )
    return counted(
        "{better} is better by {difference} on {count} task.",
        "{better} is better by {difference} on {count} tasks.",
        count=comparison.shared,
        better=names[compared.better == "second"],
        difference=difference,
    )


def is_better(direction: Direction, difference: float | None, corrected: float) -> Better | None:
    """Which of two entries is certainly better. corrected: the p value, NaN if there is none."""
    if not difference or not round(corrected, PRECISION) < LEVEL:
        return None
    return "first" if (difference > 0.0) == (direction == "desc") else "second"
