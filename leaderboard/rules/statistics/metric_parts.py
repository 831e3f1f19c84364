"""What each task adds to the value of a metric, for one attempt."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from leaderboard.rules.intervals import Packed
from leaderboard.rules.seen_rewards import MetricInput
from leaderboard.rules.statistics.parts import Floats

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


def metric_parts(metric: Any, seen: MetricInput) -> MetricParts | None:
    """The parts of an attempt's value; None if it has no value, or one that is too large.

    metric: one for which `gives_parts` is true.
    """
    tasks = [name for name, rewards in zip(seen.tasks, seen.task_rewards, strict=True) if rewards]
    if hasattr(metric, "weighted_by"):
        weights = zip(seen.weights, seen.task_rewards, strict=True)
        metric = metric.weighted_by([weight for weight, rewards in weights if rewards])
    if not tasks:
        return None
    above, below = metric.parts(*seen.packed)
    if above.size != len(tasks):
        tasks = _kept(metric, tasks, seen.packed)
    if not above.size or max(np.abs(above).max(), below.max()) > LARGEST:
        return None
    return MetricParts(tasks, above, below)


def _kept(metric: Any, tasks: list[str], packed: Packed) -> list[str]:
    """The tasks that a metric does not leave out, such as those with too few samples."""
    ends = np.cumsum(packed.lengths).tolist()
    starts = [0, *ends[:-1]]
    return [
        task
        for task, start, end in zip(tasks, starts, ends, strict=True)
        if metric.parts(packed.values[start:end], np.array([end - start]))[0].size
    ]
