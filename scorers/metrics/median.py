"""The middle of all rewards."""

from itertools import chain
from statistics import median
from typing import ClassVar

from scorers.protocol import TaskRewards


class Median:
    """Median reward of all samples; the mean of the middle two where their number is even."""

    name: ClassVar[str] = "median"
    over: ClassVar[str] = "all samples, pooled"
    bounds: ClassVar[str] = "rewards"
    bootstrap: ClassVar[bool] = True

    def compute(self, task_rewards: TaskRewards) -> float | None:
        rewards = list(chain.from_iterable(task_rewards))
        return float(median(rewards)) if rewards else None
