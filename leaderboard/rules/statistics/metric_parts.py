"""What each task adds to the value of a metric, for one attempt."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from leaderboard.rules.rewards.intervals import Packed
from leaderboard.rules.rewards.metric_inputs import MetricInput
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
    found = _parts(metric, seen)
    return None if found is None or _is_too_large(found) else found


def has_too_large_parts(metric: Any, seen: MetricInput) -> bool:
    """Whether an attempt has a value, but no parts because rewards are too large to be squared."""
    found = _parts(metric, seen)
    return found is not None and _is_too_large(found)


def _is_too_large(found: MetricParts) -> bool:
    """Whether a number is beyond the limit; sums of the largest rewards are infinite or NaN."""
    return not max(np.abs(found.above).max(), found.below.max()) <= LARGEST


def _parts(metric: Any, seen: MetricInput) -> MetricParts | None:
    tasks = [name for name, rewards in zip(seen.tasks, seen.task_rewards, strict=True) if rewards]
    if hasattr(metric, "weighted_by"):
        weights = zip(seen.weights, seen.task_rewards, strict=True)
        metric = metric.weighted_by([weight for weight, rewards in weights if rewards])
    if not tasks:
        return None
    above, below = metric.parts(*seen.packed)
    if above.size != len(tasks):
        tasks = _kept(metric, tasks, seen.packed)
    return MetricParts(tasks, above, below) if above.size else None


def _kept(metric: Any, tasks: list[str], packed: Packed) -> list[str]:
    """The tasks that a metric does not leave out, such as those with too few samples."""
    ends = np.cumsum(packed.lengths).tolist()
    starts = [0, *ends[:-1]]
    return [
        task
        for task, start, end in zip(tasks, starts, ends, strict=True)
        if metric.parts(packed.values[start:end], np.array([end - start]))[0].size
    ]
