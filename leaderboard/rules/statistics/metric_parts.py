"""What each task adds to the value of a metric, for one attempt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from leaderboard.rules.rewards.clusters import kept_tasks
from leaderboard.rules.rewards.metric_inputs import MetricInput
from leaderboard.rules.sortkey import Direction
from leaderboard.rules.statistics.parts import Floats, TaskParts

LARGEST = 1e100
"""Larger numbers have no square."""


class MetricParts(NamedTuple):
    """The numerators and denominators of one value, by task: the value is Σ above / Σ below."""

    tasks: list[str]
    above: Floats
    below: Floats


def gives_parts(metric: object) -> bool:
    """Whether the value of a metric is a quotient of two sums over tasks.

    metric: an object as described in scorers/protocol.py. A plain sum has no denominator.
    """
    parts = getattr(metric, "parts", None)
    return parts is not None and parts(np.ones(1), np.ones(1, np.int64))[1] is not None


def metric_parts(metric: Any, metric_input: MetricInput) -> MetricParts | None:
    """The parts of an attempt's value; None if it has no value, or one that is too large.

    metric: one for which `gives_parts` is true.
    """
    parts = _parts(metric, metric_input)
    return None if parts is None or _is_too_large(parts) else parts


def has_too_large_parts(metric: Any, metric_input: MetricInput) -> bool:
    """Whether an attempt has a value, but no parts because rewards are too large to be squared."""
    parts = _parts(metric, metric_input)
    return parts is not None and _is_too_large(parts)


def joined_parts(
    parts: Sequence[MetricParts | None],
    tasks: Mapping[str, int],
    direction: Direction,
    clusters: Sequence[int],
) -> TaskParts:
    """The parts of several entries as one; None for an entry without any.

    tasks: the column of each task. clusters: by column, the number of the cluster of the task;
    empty if tasks are independent.
    """
    above, below = np.zeros((len(parts), len(tasks))), np.zeros((len(parts), len(tasks)))
    for row, mine in enumerate(parts):
        if mine is not None:
            places = [tasks[task] for task in mine.tasks]
            above[row, places], below[row, places] = mine.above, mine.below
    above[below == 0.0] = 0.0
    return TaskParts(above, below, direction, np.array(clusters) if clusters else None)


def _is_too_large(parts: MetricParts) -> bool:
    """Whether a number is beyond the limit; sums of the largest rewards are infinite or NaN."""
    return not max(np.abs(parts.above).max(), parts.below.max()) <= LARGEST


def _parts(metric: Any, metric_input: MetricInput) -> MetricParts | None:
    tasks = [
        name
        for name, rewards in zip(metric_input.tasks, metric_input.task_rewards, strict=True)
        if rewards
    ]
    if hasattr(metric, "weighted_by"):
        weights = zip(metric_input.weights, metric_input.task_rewards, strict=True)
        metric = metric.weighted_by([weight for weight, rewards in weights if rewards])
    if not tasks:
        return None
    above, below = metric.parts(*metric_input.packed)
    if above.size != len(tasks):
        tasks = [tasks[at] for at in kept_tasks(metric, *metric_input.packed)]
    return MetricParts(tasks, above, below) if above.size else None
