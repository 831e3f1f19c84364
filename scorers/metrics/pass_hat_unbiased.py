"""The unbiased estimator of pass^K (Yao et al. 2024, "τ-bench"), as verifiers computes it."""

from typing import ClassVar

import numpy as np

from scorers.metrics._packed import Floats, Lengths, subset_shares, task_sums
from scorers.metrics._passing import PASS_THRESHOLD, passes, subset_share
from scorers.protocol import TaskRewards


class PassHatUnbiased:
    """Chance that all of K samples drawn from a task pass: mean of C(c, K) / C(n, K).

    n samples of the task, c of which pass. Tasks with fewer than K samples are left out.
    """

    name: ClassVar[str] = "pass^K:unbiased"
    over: ClassVar[str] = "tasks with at least K samples"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    k: ClassVar[int] = 1

    def compute(self, task_rewards: TaskRewards) -> float | None:
        chances = [
            subset_share(sum(map(passes, rewards)), len(rewards), self.k)
            for rewards in task_rewards
            if len(rewards) >= self.k
        ]
        return sum(chances) / len(chances) if chances else None

    def parts(self, values: Floats, lengths: Lengths) -> tuple[Floats, Floats]:
        enough = lengths >= self.k
        passing = task_sums(values >= PASS_THRESHOLD, lengths)[enough]
        chances = subset_shares(passing, lengths[enough], self.k)
        return chances, np.ones(chances.size)
