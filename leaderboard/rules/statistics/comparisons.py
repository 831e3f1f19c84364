"""Two entries, compared over the tasks that both have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from leaderboard.rules.rewards.distributions import student_t
from leaderboard.rules.rewards.intervals import Interval
from leaderboard.rules.statistics.pairwise import MIN_SHARED, Pairs
from leaderboard.rules.statistics.parts import TaskParts

Test = Literal["mcnemar", "t", "sign"]
"""The test of a p value: `mcnemar` if all values of both entries are 0 or 1, `sign` if all tasks
differ by the same amount, else `t`."""

NotCompared = Literal["few_shared_tasks", "few_groups", "no_spread"]
"""Why there is no interval: fewer than 8 shared tasks; these form fewer than 8 clusters, or very
unequal ones; or all of them differ by the same amount. In this case there is still a p value."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two entries on the tasks that both have.

    shared: the number of these tasks. difference: the first value minus the second, in the unit of
    the values; None without shared tasks. standard_error: of the difference, None below two shared
    tasks. interval: the 95 % interval of this comparison, not corrected for others. p: two-sided,
    None below 8 shared tasks. only_first, only_second: the number of tasks that only this entry
    solved, None unless all values of both are 0 or 1. clusters: how many clusters of tasks are
    compared; None if tasks are independent.
    """

    shared: int
    difference: float | None
    standard_error: float | None = None
    interval: Interval | None = None
    p: float | None = None
    test: Test | None = None
    only_first: int | None = None
    only_second: int | None = None
    reason: NotCompared | None = None
    clusters: int | None = None


def compare(parts: TaskParts, first: int = 0, second: int = 1) -> Comparison:
    """Two entries of a board. first, second: their rows."""
    pair = parts.of_entries([first, second])
    pairs = Pairs(pair)
    block = pairs.block(np.array([0]))
    shared = int(block.shared[0, 1])
    if not shared:
        return Comparison(0, None, reason="few_shared_tasks")
    sign = -1.0 if parts.direction == "asc" else 1.0
    difference = float(sign * block.leads[0, 1]) + 0.0
    error = float(block.errors[0, 1])
    clusters = None if parts.clusters is None else int(block.units[0, 1])
    if math.isnan(block.p[0, 1]):
        defined_error = None if math.isnan(error) else error
        few: NotCompared = "few_shared_tasks" if shared < MIN_SHARED else "few_groups"
        return Comparison(shared, difference, defined_error, reason=few, clusters=clusters)
    are_shares = bool(pairs.are_shares.all())
    only_first, only_second = _discordant(pair) if are_shares else (None, None)
    return Comparison(
        shared,
        difference,
        error,
        around(difference, error, float(block.freedom[0, 1])),
        float(block.p[0, 1]),
        "mcnemar" if are_shares else "t" if error else "sign",
        only_first,
        only_second,
        None if error else "no_spread",
        clusters,
    )


def around(difference: float, error: float, freedom: float) -> Interval | None:
    """The 95 % interval of a difference that has a p value; None if its error is 0."""
    if not error > 0.0:
        return None
    reach = student_t(freedom) * error
    return difference - reach, difference + reach


def _discordant(pair: TaskParts) -> tuple[int, int]:
    """How many of the shared tasks only the first entry solved, and how many only the second."""
    both = pair.has.all(axis=0)
    first, second = (pair.above[:, both] > 0.0) != (pair.direction == "asc")
    return int(np.count_nonzero(first & ~second)), int(np.count_nonzero(second & ~first))
