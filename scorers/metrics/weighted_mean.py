"""The mean over tasks with weights."""

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from scorers.metrics._packed import Floats, Lengths, task_sums
from scorers.protocol import TaskRewards


class WeightedMean:
    """Mean of the tasks' mean rewards, weighted by the weights of the tasks.

    A task without a declared weight has the weight 1. It is the sum of weight times mean, divided
    by the sum of the weights of the tasks that have a sample.
    """

    name: ClassVar[str] = "weighted_mean"
    over: ClassVar[str] = "tasks"
    bounds: ClassVar[str] = "rewards"

    def __init__(self, weights: Sequence[float] = ()) -> None:
        """weights: one for each task; if empty, all are 1."""
        self._weights = weights

    def weighted_by(self, weights: Sequence[float]) -> Self:
        """The metric for tasks with these weights, in the order of `task_rewards`."""
        return type(self)(weights)

    def compute(self, task_rewards: TaskRewards) -> float | None:
        weights = self._weights or [1.0] * len(task_rewards)
        pairs = [
            (weight, sum(rewards) / len(rewards))
            for weight, rewards in zip(weights, task_rewards, strict=True)
            if rewards
        ]
        total = sum(weight for weight, _ in pairs)
        return sum(weight * mean for weight, mean in pairs) / total if pairs else None

    def parts(self, values: Floats, lengths: Lengths) -> tuple[Floats, Floats]:
        weights = np.array(self._weights or [1.0] * lengths.size)
        return weights * task_sums(values, lengths) / lengths, weights
