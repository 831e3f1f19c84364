"""Harbor's `max`."""

from itertools import chain
from typing import ClassVar

from scorers.protocol import TaskRewards


class Max:
    """Highest reward of all samples."""

    name: ClassVar[str] = "max"
    over: ClassVar[str] = "all samples, pooled"

    def compute(self, task_rewards: TaskRewards) -> float | None:
        return max(chain.from_iterable(task_rewards), default=None)
