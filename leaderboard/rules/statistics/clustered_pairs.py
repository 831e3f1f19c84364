"""The differences of one entry from all others, where clusters of tasks are independent.

As in `statistics.pairwise`, a pair is compared over the tasks that both have. Their contributions u
to the difference are added up within clusters, and

    SE = √( G/(G−1) · Σ (Σ u in the cluster)² )

over the G clusters with shared tasks. The degrees of freedom are G* − 1 (`rules.rewards.clusters`),
with the shares of the denominators as sizes: with equal weights, the numbers of shared tasks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from leaderboard.rules.rewards.clusters import effective_clusters
from leaderboard.rules.statistics.parts import ClusterAdder, Floats, TaskParts


class ClusteredRow(NamedTuple):
    """One entry against all, by entry. difference: of the values. squares: Σ over clusters of the
    squared sums of u. scale: the sum of squares before the subtraction. units: clusters with shared
    tasks. effective: how many equal clusters they are worth."""

    difference: Floats
    squares: Floats
    scale: Floats
    units: Floats
    effective: Floats


class ClusteredBoard:
    """A board whose tasks form clusters. parts: with clusters."""

    def __init__(self, parts: TaskParts) -> None:
        self._added = ClusterAdder(np.asarray(parts.clusters)).sums
        self._above, self._below = parts.above, parts.below
        self._has = parts.has.astype(float)
        self._complete = bool(parts.has.all())
        if self._complete:
            self._sums = self._added(self._above), self._added(self._below)

    def row(self, at: int) -> ClusteredRow:
        """The entry against all."""
        mine, my_sizes, theirs, sizes = self._shared(at)
        with np.errstate(divide="ignore", invalid="ignore"):
            mine, my_sizes, my_value = _relative(mine, my_sizes)
            theirs, sizes, values = _relative(theirs, sizes)
            moved = (mine - my_value * my_sizes) - (theirs - values * sizes)
            weights = (my_sizes + sizes) / 2.0
            return ClusteredRow(
                (my_value - values)[:, 0],
                (moved**2).sum(axis=1),
                (mine**2).sum(axis=1) + (theirs**2).sum(axis=1),
                np.count_nonzero(weights > 0.0, axis=1).astype(float),
                effective_clusters(weights),
            )

    def _shared(self, at: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Sums over the shared tasks of each cluster: of this entry, and of the others."""
        if self._complete:
            above, below = self._sums
            mine = np.broadcast_to(above[at], above.shape)
            return mine, np.broadcast_to(below[at], below.shape), above, below
        has = self._has[at]
        return (
            self._added(self._has * self._above[at]),
            self._added(self._has * self._below[at]),
            self._added(self._above * has),
            self._added(self._below * has),
        )


def _relative(above: Floats, below: Floats) -> tuple[Floats, Floats, Floats]:
    """Numerators and denominators as shares of the sum of the denominators, and the values."""
    totals = below.sum(axis=1, keepdims=True)
    above, below = above / totals, below / totals
    return above, below, above.sum(axis=1, keepdims=True)
