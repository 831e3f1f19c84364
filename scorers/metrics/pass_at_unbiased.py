"""The unbiased estimator of pass@K (Chen et al. 2021, "Evaluating large language models trained on
code"), as Harbor and verifiers compute it.
"""

from typing import ClassVar

import numpy as np

from scorers.metrics._packed import Floats, Lengths, subset_shares, task_sums
from scorers.metrics._passing import PASS_THRESHOLD, passes, subset_share
from scorers.protocol import TaskRewards


class PassAtUnbiased:
    """Chance that any of K samples drawn from a task passes: mean of 1 − C(n−c, K) / C(n, K).

    n samples of the task, c of which pass. Tasks with fewer than K samples are left out.
    """

    name: ClassVar[str] = "pass@K:unbiased"
    over: ClassVar[str] = "tasks with at least K samples"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    k: ClassVar[int] = 1

    def compute(self, task_rewards: TaskRewards) -> float | None:
        chances = [
            1.0 - subset_share(len(rewards) - sum(map(passes, rewards)), len(rewards), self.k)
            for rewards in task_rewards
            if len(rewards) >= self.k
        ]
        return sum(chances) / len(chances) if chances else None

    def parts(self, values: Floats, lengths: Lengths) -> tuple[Floats, Floats]:
        enough = lengths >= self.k
        failing = (lengths - task_sums(values >= PASS_THRESHOLD, lengths))[enough]
        chances = 1.0 - subset_shares(failing, lengths[enough], self.k)
        return chances, np.ones(chances.size)
