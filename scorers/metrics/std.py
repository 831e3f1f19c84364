"""The spread of all rewards."""

from itertools import chain
from typing import ClassVar

import numpy as np

from scorers.protocol import TaskRewards


class Std:
    """Standard deviation of the rewards of all samples, with n − 1 in the denominator.

    Fewer than two samples have none.
    """

    name: ClassVar[str] = "std"
    over: ClassVar[str] = "all samples, pooled"
    direction: ClassVar[str] = "asc"
    bounds: ClassVar[tuple[float, None]] = (0.0, None)

    def compute(self, task_rewards: TaskRewards) -> float | None:
        rewards = np.array(list(chain.from_iterable(task_rewards)), dtype=float)
        if rewards.size < 2:
            return None
        scale = float(np.abs(rewards).max()) or 1.0  # the squares of large rewards may overflow
        return float(np.std(rewards / scale, ddof=1)) * scale
