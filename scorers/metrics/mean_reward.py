"""EvSys' `mean_reward`, which is also called `avg`."""

from typing import ClassVar

import numpy as np

from scorers.metrics._packed import Floats, Lengths, task_sums
from scorers.protocol import TaskRewards


class MeanReward:
    """Mean of the tasks' mean rewards: every task weighs the same."""

    name: ClassVar[str] = "mean_reward"
    over: ClassVar[str] = "tasks"
    bounds: ClassVar[str] = "rewards"

    def compute(self, task_rewards: TaskRewards) -> float:
        means = [sum(rewards) / len(rewards) for rewards in task_rewards if rewards]
        return sum(means) / len(means) if means else 0.0

    def parts(self, values: Floats, lengths: Lengths) -> tuple[Floats, Floats]:
        return task_sums(values, lengths) / lengths, np.ones(lengths.size)


class Avg(MeanReward):
    """Mean of the tasks' mean rewards: another name of mean_reward."""

    name: ClassVar[str] = "avg"
