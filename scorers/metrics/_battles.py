"""Counts pairwise comparisons, whose rewards are 1 for a win, 0.5 for a tie, 0 for a loss."""

from abc import ABC, abstractmethod
from itertools import chain
from typing import ClassVar

import numpy as np

from scorers.metrics._packed import Flags, Floats, Lengths, task_sums
from scorers.protocol import TaskRewards

TIE = 0.5


class Count(ABC):
    """The number of samples for which `counted` is true."""

    over: ClassVar[str] = "all samples, pooled"
    bounds: ClassVar[str] = "count"
    bootstrap: ClassVar[bool] = True

    @abstractmethod
    def counted(self, rewards: Floats) -> Flags:
        """Which of the rewards count."""

    def compute(self, task_rewards: TaskRewards) -> float | None:
        rewards = np.array(list(chain.from_iterable(task_rewards)), dtype=float)
        return float(self.counted(rewards).sum()) if rewards.size else None

    def parts(self, values: Floats, lengths: Lengths) -> tuple[Floats, None]:
        return task_sums(self.counted(values), lengths), None
