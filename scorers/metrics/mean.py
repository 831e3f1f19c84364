"""Harbor's `mean`."""

from itertools import chain
from typing import ClassVar

from scorers.metrics._packed import Floats, Lengths, task_sums
from scorers.protocol import TaskRewards


class Mean:
    """Mean reward of all samples: a task with more samples weighs more."""

    name: ClassVar[str] = "mean"
    over: ClassVar[str] = "all samples, pooled"
    bounds: ClassVar[str] = "rewards"

    def compute(self, task_rewards: TaskRewards) -> float | None:
        rewards = list(chain.from_iterable(task_rewards))
        return sum(rewards) / len(rewards) if rewards else None

    def parts(self, values: Floats, lengths: Lengths) -> tuple[Floats, Floats]:
        return task_sums(values, lengths), lengths.astype(float)
