"""Harbor's `min`."""

from itertools import chain
from typing import ClassVar

from scorers.protocol import TaskRewards


class Min:
    """Lowest reward of all samples."""

    name: ClassVar[str] = "min"
    over: ClassVar[str] = "all samples, pooled"

    def compute(self, task_rewards: TaskRewards) -> float | None:
        return min(chain.from_iterable(task_rewards), default=None)
