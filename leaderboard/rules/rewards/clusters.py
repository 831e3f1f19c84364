"""Clusters: tasks that are repeats of one source, such as the issues of one repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

MIN_CLUSTERS: Final = 8
"""Fewer clusters give no interval and no p value."""
MIN_EFFECTIVE: Final = 3.0
"""Nor do clusters so unequal that they are worth fewer than this many equal ones."""


class ClusterSums(NamedTuple):
    """Sums over clusters, and how many equal clusters they are worth."""

    above: Floats
    below: Floats
    effective: float


def cluster_numbers(tasks: Sequence[str], clusters: Mapping[str, str]) -> list[int]:
    """The number of the cluster of each task; empty if each task is a cluster of its own.

    clusters: the names of clusters by tasks; a task without one is a cluster of its own.
    """
    if not clusters:
        return []
    numbers: dict[tuple[bool, str], int] = {}
    result = [
        numbers.setdefault((task in clusters, clusters.get(task, task)), len(numbers))
        for task in tasks
    ]
    return result if len(numbers) < len(tasks) else []


def cluster_sums(above: Floats, below: Floats, clusters: Sequence[int]) -> ClusterSums:
    """Numerators and denominators added up within clusters. clusters: one number per task."""
    _, places = np.unique(np.asarray(clusters), return_inverse=True)
    count = int(places.max(initial=-1)) + 1
    sums, sizes = np.zeros(count), np.zeros(count)
    np.add.at(sums, places, above)
    np.add.at(sizes, places, below)
    return ClusterSums(sums, sizes, float(effective_clusters(sizes)))


def effective_clusters(sizes: Floats) -> Floats:
    """How many clusters of equal size these are worth, along the last axis: (Σ n)² / Σ n².

    After Carter, Schnepel and Steigerwald (2017, "Asymptotic Behavior of a t-Test Robust to Cluster
    Heterogeneity"), for equal variances. One less is the number of degrees of freedom.
    """
    return np.asarray(sizes.sum(axis=-1) ** 2 / (sizes**2).sum(axis=-1))


def kept_tasks(metric: Any, values: Floats, lengths: Counts) -> list[int]:
    """The positions of the tasks that a metric does not leave out, such as for too few samples.

    values, lengths: of all tasks, as `intervals.Packed`.
    """
    ends = np.cumsum(lengths).tolist()
    starts = [0, *ends[:-1]]
    return [
        at
        for at, (start, end) in enumerate(zip(starts, ends, strict=True))
        if metric.parts(values[start:end], np.array([end - start]))[0].size
    ]
