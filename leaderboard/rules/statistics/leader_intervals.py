"""The interval of the leader's value.

The leader was chosen because its value is the largest, so its own 95 % interval contains its true
value on as few as 73 of 100 boards. An interval at the level 0.95^(1/m) for m entries (Šidák 1967)
contains it on 95, whichever entry leads.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from leaderboard.rules.rewards.distributions import student_t, wilson
from leaderboard.rules.rewards.intervals import Interval, clustered, independent
from leaderboard.rules.statistics.parts import TaskParts

SHARE: Interval = (0.0, 1.0)


def leader_interval(
    parts: TaskParts, leader: int, entries: int, bounds: Interval
) -> Interval | None:
    """The interval of the value of an entry that was chosen as the best of `entries`.

    leader: its row. bounds: the lowest and the highest possible value. None if it has too few
    tasks, or these do not differ. A share of tasks that are 0 or 1 has Wilson's interval, others
    Student's.
    """
    tail = 1.0 - 0.95 ** (1.0 / entries)
    own = parts.of_entries([leader]).of_tasks(parts.has[leader])
    numbers = [] if own.clusters is None else own.clusters.tolist()
    units = independent(own.below[0], numbers)
    above, below = own.above[0], own.below[0]
    if bounds == SHARE and units.clusters is None and np.all((above == 0.0) | (above == below)):
        effective = float(below.sum() ** 2 / (below**2).sum())
        z = NormalDist().inv_cdf(1.0 - tail / 2.0)
        return wilson(float(above.sum() / below.sum()) * effective, effective, z)
    sums = own.by_cluster()
    value, error = clustered(sums.above[0], sums.below[0])
    if not error or units.too_few:
        return None
    reach = student_t(units.freedom, tail) * error
    return max(value - reach, min(bounds[0], value)), min(value + reach, max(bounds[1], value))
