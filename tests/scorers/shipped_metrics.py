"""Shipped metrics by name, a metric of a test, and the conformance vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

from scorers.metrics.registry import shipped
from scorers.protocol import Metric, TaskRewards

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "scorers" / "metrics"
SEEDS = Path(__file__).parents[1] / "seeds"


def vectors(name: str) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = json.loads((SEEDS / f"{name}.json").read_text())["vectors"]
    return result


def metric(name: str) -> Metric:
    made: Metric = shipped().get(name)()
    return made


class WorstTask:
    """Lowest mean reward of a task."""

    name: ClassVar[str] = "worst_task"

    def compute(self, task_rewards: TaskRewards) -> float:
        return min((sum(rewards) / len(rewards) for rewards in task_rewards if rewards), default=0)
