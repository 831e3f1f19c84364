"""What each task adds to the value of each entry: the input of all comparisons of entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from leaderboard.rules.sortkey import PRECISION, Direction

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class TaskParts:
    """Numerators and denominators of the values of entries, task by task.

    above, below: entries × tasks, finite; the value of an entry is Σ above / Σ below over its
    tasks, as `Metric.parts` gives them. For a missing task of an entry, above and below are 0. For
    a mean over tasks, below is 1. direction: `desc` if the largest value is the best, `asc` if the
    smallest is. clusters: the number of the cluster of each task, where several tasks are repeats
    of one source; None if each task is independent.
    """

    above: Floats
    below: Floats
    direction: Direction = "desc"
    clusters: Counts | None = None

    def __post_init__(self) -> None:
        if self.above.ndim != 2 or self.above.shape != self.below.shape:
            raise ValueError(
                "parts: above and below are two matrices of one shape;"
                f" got {self.above.shape} and {self.below.shape}"
            )
        if self.clusters is not None and self.clusters.shape != self.above.shape[1:]:
            raise ValueError("parts: clusters has a number for each task")
        if not (np.isfinite(self.above).all() and np.isfinite(self.below).all()):
            raise ValueError("parts: above and below are finite; got NaN or infinity")
        if (self.below < 0.0).any() or self.above[self.below == 0.0].any():
            raise ValueError("parts: below is 0 or more, and above is 0 where below is 0")

    @classmethod
    def of_values(
        cls, values: Sequence[Sequence[float]] | Floats, direction: Direction = "desc"
    ) -> Self:
        """Parts of means over tasks. values: entries × tasks, NaN for a missing task."""
        given = np.atleast_2d(np.asarray(values, dtype=float))
        has = ~np.isnan(given)
        return cls(np.where(has, given, 0.0), has.astype(float), direction)

    @property
    def entries(self) -> int:
        return len(self.above)

    @property
    def has(self) -> Flags:
        """Entries × tasks: whether the entry has the task."""
        return self.below > 0.0

    @property
    def tasks(self) -> Counts:
        """How many tasks each entry has."""
        return np.asarray(np.count_nonzero(self.below, axis=1))

    @property
    def values(self) -> Floats:
        """The value of each entry; NaN for an entry without tasks."""
        return divided(self.above.sum(axis=1), self.below.sum(axis=1))

    @property
    def task_values(self) -> Floats:
        """Entries × tasks: the value over one task alone; NaN for a missing task."""
        return divided(self.above, self.below)

    def ranks(self) -> Counts:
        """Competition ranks (1, 2, 2, 4) of the values; entries without tasks come last.

        Values are rounded to 9 decimals, as sort keys are.
        """
        better = comparable(-self.values if self.direction == "asc" else self.values)
        return 1 + better.size - np.searchsorted(np.sort(better), better, side="right")

    def upwards(self) -> Self:
        """The same with signs reversed, if necessary, so that the largest value is the best."""
        if self.direction == "desc":
            return self
        return type(self)(0.0 - self.above, self.below, clusters=self.clusters)

    def of_entries(self, rows: Sequence[int]) -> Self:
        """The same of some entries."""
        return type(self)(self.above[rows], self.below[rows], self.direction, self.clusters)

    def of_tasks(self, columns: Flags) -> Self:
        """The same of some tasks. columns: by task, whether it is kept."""
        clusters = None if self.clusters is None else self.clusters[columns]
        return type(self)(self.above[:, columns], self.below[:, columns], self.direction, clusters)

    def shared(self) -> Self:
        """The same of the tasks that all entries have."""
        return self.of_tasks(np.asarray(self.has.all(axis=0)))

    def by_cluster(self) -> Self:
        """The same with the tasks of each cluster added up, so that a cluster counts as one task.

        Clusters are in the order of their numbers. Without clusters, tasks stay as they are.
        """
        if self.clusters is None:
            return self
        added = ClusterAdder(self.clusters)
        return type(self)(added.sums(self.above), added.sums(self.below), self.direction)

    def numbers_of_clusters(self) -> Counts:
        """How many clusters the tasks of each entry form; of tasks, if these are independent."""
        return self.by_cluster().tasks


class ClusterAdder:
    """Adds up columns within clusters. clusters: the number of the cluster of each task."""

    def __init__(self, clusters: Counts) -> None:
        self._order = np.argsort(clusters, kind="stable")
        ordered = clusters[self._order]
        self._starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
        self._places = np.empty_like(clusters)
        self._places[self._order] = np.cumsum(np.diff(ordered, prepend=ordered[:1]) != 0)

    def sums(self, by_task: Floats) -> Floats:
        """Rows × clusters, in the order of their numbers."""
        if not by_task.shape[1]:
            return by_task
        return np.asarray(np.add.reduceat(by_task[:, self._order], self._starts, axis=1))

    def beside(self, by_task: Floats) -> Floats:
        """Rows × tasks: of each task, the sum over its cluster, with the task itself."""
        return self.sums(by_task)[:, self._places]


def divided(above: Floats, below: Floats) -> Floats:
    """above / below, NaN where below is 0."""
    quotients = np.full(above.shape, np.nan)
    np.divide(above, below, out=quotients, where=below > 0.0)
    return quotients


def comparable(values: Floats) -> Floats:
    """Values rounded as ranks round them; NaN becomes the lowest."""
    return np.where(np.isnan(values), -np.inf, np.round(values, PRECISION) + 0.0)
