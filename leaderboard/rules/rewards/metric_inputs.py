"""What metrics and metric scripts get of the samples of an attempt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from leaderboard.rules.rewards.intervals import UNBOUNDED, Interval, Packed, pack
from leaderboard.rules.rewards.samples import RewardState


@dataclass(frozen=True)
class MetricInput:
    """The numbers that a metric gets: a list for each task, which may be empty.

    failed: how many samples lack this reward because they failed. nothing: why no task is left, if
    so. weights: those of the tasks, in their order. bounds: the lowest and the highest possible
    number. tasks: the names of the tasks. clusters: the numbers of their clusters; empty if each
    is independent.
    """

    task_rewards: list[list[float]]
    failed: int
    nothing: RewardState | None
    weights: Sequence[float] = ()
    bounds: Interval = UNBOUNDED
    tasks: Sequence[str] = ()
    clusters: Sequence[int] = ()

    @property
    def total(self) -> int:
        return len(self.task_rewards)

    @cached_property
    def packed(self) -> Packed:
        return pack(self.task_rewards)


class ScriptInput(NamedTuple):
    """The lines that a metric script gets: a sample's rewards by name, None for a failed sample.

    defined, total: tasks with a line that is not None, and all tasks. failed: samples.
    """

    rows: list[dict[str, float] | None]
    defined: int
    total: int
    failed: int
