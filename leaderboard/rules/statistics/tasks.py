"""How hard the tasks of a board are, and how well each one separates its entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from leaderboard.rules.statistics.parts import ClusterAdder, Counts, Flags, Floats, TaskParts

MIN_ENTRIES: Final = 5
"""Entries that must have run a task before its discrimination is stated."""

NoDiscrimination = Literal["few_entries", "all_equal"]
"""Why a task has no discrimination: fewer than 5 entries ran it together with other tasks, or all
of them have the same value on it or the same mean over the others."""


@dataclass(frozen=True, slots=True)
class TaskStatistics:
    """One task over all entries that ran it.

    entries: how many ran it. mean: of their values, in the unit of the rewards; None if no entry
    ran it. solved: how many solved it; None if nothing says what solves a task. discrimination:
    −1 to 1, the correlation of the entries' values on this task with their mean over all other
    tasks: near 1 if better entries do better on it, near 0 if it does not separate them, below 0 if
    weaker entries do better.
    """

    entries: int
    mean: float | None
    solved: int | None
    discrimination: float | None
    reason: NoDiscrimination | None = None


def task_statistics(parts: TaskParts, solved: Flags | None = None) -> list[TaskStatistics]:
    """Each task of a board, in the order of the columns.

    parts: at least one entry. solved: entries × tasks, see `statistics.solved`; None if nothing
    says what solves a task.
    """
    upwards = parts.upwards()
    values, has = upwards.task_values, upwards.has
    entries = np.count_nonzero(has, axis=0)
    counts: list[int | None] = (
        [None] * entries.size if solved is None else solved.sum(axis=0).tolist()
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(has, parts.task_values, 0.0).sum(axis=0) / entries
    correlations, compared = discriminations(values, has, parts.clusters)
    return [
        TaskStatistics(
            int(count),
            float(mean) if count else None,
            done,
            None if np.isnan(one) else float(one),
            None if not np.isnan(one) else "few_entries" if few else "all_equal",
        )
        for count, mean, done, one, few in zip(
            entries, means, counts, correlations, compared < MIN_ENTRIES, strict=True
        )
    ]


def discriminations(
    values: Floats, has: Flags, clusters: Counts | None = None
) -> tuple[Floats, Counts]:
    """By task: the corrected item–total correlation, and over how many entries; NaN for none.

    values: entries × tasks, larger is better, NaN for missing tasks. The rest of an entry is its
    mean over the other tasks that it ran, each relative to the mean of that task, so that an entry
    does not look weak because it ran only hard tasks. Without missing tasks this is the usual
    correlation of the task with the mean of the other tasks. clusters: of each task; then the rest
    is without the tasks of the same cluster, which resemble the task.
    """
    filled = np.where(has, values, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = np.where(has, values - filled.sum(axis=0) / has.sum(axis=0), 0.0)
        beside = np.copy if clusters is None else ClusterAdder(clusters).beside
        other_tasks = has.sum(axis=1, keepdims=True) - beside(has.astype(float))
        rest = (relative.sum(axis=1, keepdims=True) - beside(relative)) / other_tasks
    counted = has & (other_tasks > 0)
    entries = counted.sum(axis=0)
    return np.where(entries < MIN_ENTRIES, np.nan, _correlations(filled, rest, counted)), entries


def _correlations(x: Floats, y: Floats, counted: Flags) -> Floats:
    """By column, over the counted rows; NaN where one of the two is constant."""
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = _centred(x, counted), _centred(y, counted)
        spread = np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
        result = (x * y).sum(axis=0) / spread
    return np.where(spread > 0.0, np.clip(result, -1.0, 1.0), np.nan)


def _centred(values: Floats, counted: Flags) -> Floats:
    """Minus the mean of the counted rows of each column; 0 in the others, and for rounding."""
    used = np.where(counted, values, 0.0)
    centred = np.where(counted, used - used.sum(axis=0) / counted.sum(axis=0), 0.0)
    largest = np.abs(used).max(axis=0, initial=0.0)
    return np.where(np.abs(centred) <= 1e-12 * largest, 0.0, centred)
