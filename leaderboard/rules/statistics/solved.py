"""How far an entry solved each task: one rule for the strips, the pictures and the counts of tasks.

A task is solved if the value of the metric over this task alone is the best one that is possible:
the declared bound of the reward on the side of the metric's direction, or the bound of the metric
itself, such as 1 for a share of passed samples. The values that entries happen to reach decide
nothing, except that an undeclared bound is 0 or 1 while no value is beyond it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from leaderboard.rules.ranking.board_summaries import FAILED, NOT_RUN, UNDEFINED, percentage
from leaderboard.rules.rewards.evidence import RewardEvidence
from leaderboard.rules.rewards.intervals import UNBOUNDED, Interval
from leaderboard.rules.rewards.samples import Policy, RewardCell
from leaderboard.rules.sortkey import Direction
from leaderboard.rules.statistics.metric_parts import metric_parts

_ROUNDING: Final = 1e-9
_ALMOST: Final = 0.99

TaskState = int
"""A state of `rules.ranking.board_summaries`: failed, undefined or not run."""


class EntryTasks(NamedTuple):
    """The tasks of an entry, each with its value by a metric or with its state.

    with_failures: the tasks of which some samples failed, which counts as 0. bounds: the lowest and
    the highest value that is declared to be possible.
    """

    tasks: Mapping[str, float | TaskState]
    with_failures: frozenset[str]
    bounds: Interval

    @property
    def values(self) -> list[float]:
        return [value for value in self.tasks.values() if isinstance(value, float)]


class TaskScale(NamedTuple):
    """The best value of a task and the worst one. worst: None if nothing says which it is."""

    best: float
    worst: float | None

    def share(self, value: float) -> float:
        """How far a value is from the worst to the best one, 0 to 1; 0 or 1 without a worst one."""
        if self.worst is None:
            return float(math.isclose(value, self.best, rel_tol=_ROUNDING, abs_tol=_ROUNDING))
        return min(1.0, max(0.0, (value - self.worst) / (self.best - self.worst)))


def entry_tasks(
    metric: Any,
    rewards: RewardEvidence,
    reward: str | None,
    *,
    failed: Policy,
    undefined: Policy,
    group: str | None,
) -> EntryTasks:
    """The tasks of an entry by a metric over a reward. metric: one that `gives_parts`."""
    metric_input = rewards.metric_input(reward, failed=failed, undefined=undefined, group=group)
    parts = metric_parts(metric, metric_input)
    values: dict[str, float] = {}
    if parts is not None:
        task_parts = zip(parts.tasks, parts.above.tolist(), parts.below.tolist(), strict=True)
        values = {task: above / below for task, above, below in task_parts if below > 0.0}
    wanted = set(metric_input.tasks) if group else None
    cells = {
        task: cells
        for task, cells in zip(rewards.tasks, rewards.cells(reward), strict=True)
        if wanted is None or task in wanted
    }
    return EntryTasks(
        {task: _value_or_state(values.get(task), mine) for task, mine in cells.items()},
        frozenset(task for task, mine in cells.items() if failed == "zero" and "failed" in mine),
        _possible(metric, metric_input.bounds),
    )


def _possible(metric: Any, rewards: Interval) -> Interval:
    """The values of a metric over one task. rewards: the declared bounds of the reward."""
    match getattr(metric, "bounds", None):
        case "rewards":
            return rewards
        case (low, high):
            return (-math.inf if low is None else low, math.inf if high is None else high)
    return UNBOUNDED


def _value_or_state(value: float | None, cells: Sequence[RewardCell]) -> float | TaskState:
    """The value of a task, or its state if it has none, or if no sample has the reward."""
    if not cells:
        return NOT_RUN
    if value is None or not any(isinstance(cell, float) for cell in cells):
        return FAILED if "failed" in cells else UNDEFINED
    return float(value)


def task_scale(direction: Direction, entries: Iterable[EntryTasks]) -> TaskScale | None:
    """The scale of the tasks of a board; None if nothing says which value is the best."""
    low, high, least, largest = -math.inf, math.inf, 0.0, 0.0
    for at, entry in enumerate(entries):
        bounds, values = entry.bounds, entry.values
        low, high = (min(low, bounds[0]), max(high, bounds[1])) if at else bounds
        least, largest = min(least, *values, 0.0), max(largest, *values, 0.0)
    if high == math.inf and largest <= 1.0 + _ROUNDING:
        high = max(low, 1.0)
    if low == -math.inf and high < math.inf and least >= 0.0:
        low = min(high, 0.0)
    best, worst = (low, high) if direction == "asc" else (high, low)
    if not math.isfinite(best) or best == worst:
        return None
    return TaskScale(best, worst if math.isfinite(worst) else None)


def solved_percentages(entry: EntryTasks, scale: TaskScale) -> dict[str, int]:
    """How far an entry solved each task, as `rules.ranking.board_summaries` stores it.

    A failed sample that counts as 0 never makes a task solved where 0 is the best value.
    """
    zero_is_best = scale.share(0.0) == 1.0
    percentages: dict[str, int] = {}
    for task, value in entry.tasks.items():
        if isinstance(value, int):
            percentages[task] = value
        else:
            share = scale.share(value)
            capped = zero_is_best and task in entry.with_failures
            percentages[task] = percentage(min(share, _ALMOST) if capped else share)
    return percentages
