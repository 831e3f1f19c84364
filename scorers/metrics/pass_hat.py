"""EvSys' `pass^K`: whether all of K samples pass."""

from typing import ClassVar

import numpy as np

from scorers.metrics._packed import Floats, Lengths, of_first
from scorers.metrics._passing import PASS_THRESHOLD, passes
from scorers.protocol import TaskRewards


class PassHat:
    """Share of tasks where all of the first K samples pass (reward ≥ 1).

    A task with fewer than K samples is judged by those it has.
    """

    name: ClassVar[str] = "pass^K"
    over: ClassVar[str] = "tasks"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    k: ClassVar[int] = 1

    def compute(self, task_rewards: TaskRewards) -> float:
        solved = [all(map(passes, rewards[: self.k])) for rewards in task_rewards if rewards]
        return sum(solved) / len(solved) if solved else 0.0

    def parts(self, values: Floats, lengths: Lengths) -> tuple[Floats, Floats]:
        solved = of_first(self.k, np.logical_and, values >= PASS_THRESHOLD, lengths)
        return solved, np.ones(lengths.size)
