"""Quantiles of all rewards."""

from itertools import chain
from typing import ClassVar

import numpy as np

from scorers.protocol import TaskRewards


class Percentile:
    """Reward that K % of all samples do not exceed: the quantile K / 100.

    Between two samples it is on the straight line from one to the other, as in numpy and in
    spreadsheets (type 7 of Hyndman and Fan 1996).
    """

    name: ClassVar[str] = "percentile@K"
    over: ClassVar[str] = "all samples, pooled"
    bounds: ClassVar[str] = "rewards"
    bootstrap: ClassVar[bool] = True
    k: ClassVar[int] = 1
    k_max: ClassVar[int] = 100

    def compute(self, task_rewards: TaskRewards) -> float | None:
        rewards = list(chain.from_iterable(task_rewards))
        return float(np.percentile(rewards, self.k)) if rewards else None
