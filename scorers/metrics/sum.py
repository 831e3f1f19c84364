"""Harbor's `sum`."""

from itertools import chain
from typing import ClassVar

from scorers.metrics._packed import Floats, Lengths, task_sums
from scorers.protocol import TaskRewards


class Sum:
    """Sum of the rewards of all samples."""

    name: ClassVar[str] = "sum"
    over: ClassVar[str] = "all samples, pooled"
    bounds: ClassVar[str] = "sum"
    bootstrap: ClassVar[bool] = True

    def compute(self, task_rewards: TaskRewards) -> float | None:
        rewards = list(chain.from_iterable(task_rewards))
        return float(sum(rewards)) if rewards else None

    def parts(self, values: Floats, lengths: Lengths) -> tuple[Floats, None]:
        return task_sums(values, lengths), None
