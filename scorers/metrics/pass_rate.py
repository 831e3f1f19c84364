"""EvSys' `pass_rate`."""

from itertools import chain
from typing import ClassVar

from scorers.metrics._packed import Floats, Lengths, task_sums
from scorers.metrics._passing import PASS_THRESHOLD, passes
from scorers.protocol import TaskRewards


class PassRate:
    """Share of all samples that pass (reward ≥ 1)."""

    name: ClassVar[str] = "pass_rate"
    over: ClassVar[str] = "all samples, pooled"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def compute(self, task_rewards: TaskRewards) -> float:
        passed = [passes(reward) for reward in chain.from_iterable(task_rewards)]
        return sum(passed) / len(passed) if passed else 0.0

    def parts(self, values: Floats, lengths: Lengths) -> tuple[Floats, Floats]:
        return task_sums(values >= PASS_THRESHOLD, lengths), lengths.astype(float)
