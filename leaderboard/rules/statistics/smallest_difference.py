"""The smallest difference that a board can show, given its tasks and their variance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import Final

import numpy as np

from leaderboard.rules.rewards.distributions import student_t
from leaderboard.rules.statistics.probabilities import LEVEL, mcnemar_p

Z80: Final = 0.8416212335729143
"""The 80 % quantile of the standard normal distribution."""


@dataclass(frozen=True, slots=True)
class SmallestDifference:
    """The smallest lead of the first entry that counts as certain, in the unit of the values.

    difference: a smaller lead is not significant at the 5 % level, after the correction for
    `comparisons` other entries. A true difference of this size is detected on about half of the
    boards with so many tasks; one of the size `often` on about 80 %. tasks: shared with the other
    entries (the median). Both are estimates from the variance between the leader and the next ten
    entries.
    """

    difference: float
    often: float
    tasks: int
    comparisons: int


@dataclass(frozen=True, slots=True)
class Spread:
    """The variation between the tasks of one pair. shared: tasks. lead: the difference of values.
    error: its standard error. are_shares: whether all values of both are 0 or 1, on independent
    tasks. freedom: degrees of freedom."""

    shared: int
    lead: float
    error: float
    are_shares: bool
    freedom: float


def smallest_difference(
    spreads: list[Spread], comparisons: int, at_most: float = math.inf
) -> SmallestDifference | None:
    """The smallest difference for the leader. None if no pair has any variance.

    spreads: of pairs that can be compared. comparisons: how many the leader takes part in.
    at_most: the smallest lead that is certain on this board.
    """
    uneven = [spread for spread in spreads if spread.error > 0.0]
    if not uneven:
        return None
    needed = [_needed(spread, LEVEL / comparisons) for spread in uneven]
    difference = median(needed)
    often = difference + Z80 * median(spread.error for spread in uneven)
    return SmallestDifference(
        min(difference, at_most),
        often,
        int(median(spread.shared for spread in uneven)),
        comparisons,
    )


def _needed(spread: Spread, level: float) -> float:
    """The smallest lead with a p value below the level, for this variation between tasks."""
    if not spread.are_shares:
        return student_t(spread.freedom, level) * spread.error
    return _needed_tasks(_differing(spread), level) / spread.shared


def _differing(spread: Spread) -> int:
    """On how many tasks one of the two is right and the other wrong."""
    square = (spread.shared - 1) * spread.error**2 + spread.lead**2
    return round(spread.shared * square)


def _needed_tasks(differing: int, level: float) -> int:
    """How many more tasks the better entry must have solved, by McNemar's test.

    differing: on how many tasks the two differ. If not even all of these are enough, the result is
    the number that would be.
    """
    while 2.0 * 0.5**differing >= level:
        differing += 1
    fewer = np.arange(differing // 2, -1, -1)
    p = mcnemar_p(differing - fewer, fewer)
    return differing - 2 * int(fewer[np.argmax(p < level)])
