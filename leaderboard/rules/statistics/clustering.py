"""How alike the tasks of a cluster are, and which clusters the names of tasks suggest."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final, Self, TypedDict, cast

import numpy as np

from leaderboard.rules.rewards.clusters import cluster_numbers, effective_clusters
from leaderboard.rules.statistics.parts import ClusterAdder, Counts, Floats, TaskParts
from leaderboard.rules.statistics.verdicts import Verdict, VerdictState

_BEFORE: Final = ("__", "/", "::", ":", "#")
_NUMBERED: Final = re.compile(r"^(.*\D)[-_ .]\d+$|^([^\W\d]+)\d+$")
LEAST_TASKS: Final = 2
"""Tasks of a group, on average, from which on names look grouped."""
NAMED: Final = 3


class ClusteringJson(TypedDict):
    """A `Clustering` as it is stored."""

    is_declared: bool
    tasks: int
    groups: int
    effective: float
    icc: float | None
    design_effect: float | None
    names: list[str]
    state: VerdictState
    behind: int
    others: int


@dataclass(frozen=True, slots=True)
class Clustering:
    """The clusters of the tasks of a board, and the verdict of the board under the other choice.

    is_declared: whether the challenge declares the clusters; else the names of tasks suggest them.
    effective: how many equal clusters they are worth. icc: the intraclass correlation.
    design_effect: by which factor clusters enlarge variances. names: of some clusters. state:
    of the verdict with these clusters if they are only suggested, without them if they are
    declared. behind: how many entries are certainly worse then. others: of how many.
    """

    is_declared: bool
    tasks: int
    groups: int
    effective: float
    icc: float | None
    design_effect: float | None
    names: list[str]
    state: VerdictState
    behind: int
    others: int

    @classmethod
    def of(
        cls, parts: TaskParts, names: Mapping[str, str], other: Verdict, *, is_declared: bool
    ) -> Self:
        """parts: with clusters. names: of clusters, by tasks. other: under the other choice."""
        sizes = ClusterAdder(np.asarray(parts.clusters)).sums(np.ones((1, parts.above.shape[1])))[0]
        icc = intraclass_correlation(parts)
        tasks = float(sizes.sum())
        effect = None if icc is None else 1.0 + (float((sizes**2).sum()) / tasks - 1.0) * icc
        behind = sum(rival.told_apart for rival in other.rivals)
        return cls(
            is_declared,
            int(tasks),
            int(sizes.size),
            float(effective_clusters(sizes)),
            icc,
            None if effect is None else max(effect, 0.0),
            list(dict.fromkeys(names.values()))[:NAMED],
            other.state,
            behind,
            len(other.rivals),
        )

    def as_json(self) -> ClusteringJson:
        """What `of_json` reads."""
        return cast(ClusteringJson, asdict(self))

    @classmethod
    def of_json(cls, stored: ClusteringJson) -> Self:
        return cls(**stored)


def suggested_clusters(tasks: Sequence[str]) -> dict[str, str]:
    """The clusters that names suggest, such as `django` for `django__django-11099`; {} for none.

    That is the text before the first `__`, `/`, `:` or `#`, or before a number at the end.
    """
    for separator in _BEFORE:
        names = {task: task.partition(separator)[0] for task in tasks if separator in task}
        if _look_grouped(names, tasks):
            return names
    numbered = ((task, _NUMBERED.match(task)) for task in tasks)
    names = {task: match[1] or match[2] for task, match in numbered if match}
    return names if _look_grouped(names, tasks) else {}


def clustered_parts(
    parts: TaskParts, tasks: Sequence[str], names: Mapping[str, str]
) -> TaskParts | None:
    """The same parts with clusters; None if each task is a cluster of its own."""
    numbers = cluster_numbers(tasks, names)
    if not numbers:
        return None
    return TaskParts(parts.above, parts.below, parts.direction, np.array(numbers))


def intraclass_correlation(parts: TaskParts) -> float | None:
    """How alike entries do on tasks of one cluster, from about 0 to 1; None if nothing differs.

    The estimator of the one-way analysis of variance, (B − W) / (B + (n₀ − 1) W) for mean squares
    between and within clusters, pooled over the entries; of the values relative to the mean of
    each task, as these are what differences of entries consist of.
    """
    has, values = parts.has, np.nan_to_num(parts.task_values)
    if parts.entries > 1:
        with np.errstate(invalid="ignore", divide="ignore"):
            values = np.where(has, values - values.sum(axis=0) / has.sum(axis=0), 0.0)
    added = ClusterAdder(np.asarray(parts.clusters))
    counts, sums = added.sums(has.astype(float)), added.sums(values)
    tasks, groups = counts.sum(axis=1), np.count_nonzero(counts, axis=1)
    usable = (groups > 1) & (tasks > groups)
    if not usable.any():
        return None
    between, within = _mean_squares(values[usable], counts[usable], sums[usable])
    sizes = (tasks - (counts**2).sum(axis=1) / np.maximum(tasks, 1.0))[usable]
    n0 = float(sizes.sum() / (groups[usable] - 1).sum())
    total = between + (n0 - 1.0) * within
    return float((between - within) / total) if total > 0.0 else None


def _mean_squares(values: Floats, counts: Floats, sums: Floats) -> tuple[float, float]:
    """Mean squares between and within clusters, pooled over entries."""
    tasks, groups = counts.sum(axis=1), np.count_nonzero(counts, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_clusters = np.where(counts > 0.0, sums**2 / counts, 0.0).sum(axis=1)
    total = (values**2).sum(axis=1)
    between = of_clusters - sums.sum(axis=1) ** 2 / tasks
    freedom: Counts = groups - 1
    inside = (tasks - groups).sum()
    return float(between.sum() / freedom.sum()), float((total - of_clusters).sum() / inside)


def _look_grouped(names: Mapping[str, str], tasks: Sequence[str]) -> bool:
    groups = len(set(names.values()))
    return len(names) == len(tasks) and 1 < groups <= len(tasks) / LEAST_TASKS
