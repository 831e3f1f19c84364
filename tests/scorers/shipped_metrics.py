"""Shipped metrics by name, and a metric of a test."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from scorers.metrics.registry import shipped
from scorers.protocol import Metric, TaskRewards

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "scorers" / "metrics"


def metric(name: str) -> Metric:
    named: Metric = shipped().get(name)()
    return named


class WorstTask:
    """Lowest mean reward of a task."""

    name: ClassVar[str] = "worst_task"

    def compute(self, task_rewards: TaskRewards) -> float:
        return min((sum(rewards) / len(rewards) for rewards in task_rewards if rewards), default=0)
