"""What a board stores for the pictures of its rows, in codes and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import Any, Final, NamedTuple, Self, TypedDict

FULL: Final = 100
FAILED: Final = -1
UNDEFINED: Final = -2
NOT_RUN: Final = -3
"""How far an entry solved a task: a whole percentage from 0 to 100, or one of these states. Failed:
all of its samples failed. Undefined: the task does not have the reward."""

MOST_TASKS: Final = 200
"""More tasks than this are stored as bins."""
BINS: Final = 100

Solved = Sequence[int]
"""The tasks of an entry, each as a percentage or a state."""


def percentage(share: float) -> int:
    """A share of a task, 0 to 1, as stored: neither 0 nor 100 for a part of it."""
    if share <= 0.0:
        return 0
    return FULL if share >= 1.0 - 1e-9 else min(max(round(100 * share), 1), 99)


def worth(solved: int) -> int | None:
    """The percentage of a task as metrics count it: a failed one is 0; None if it has none."""
    return 0 if solved == FAILED else solved if solved >= 0 else None


@dataclass(frozen=True, slots=True)
class Strips:
    """The tasks of entries by one metric.

    metric: its key. tasks: their names, in the order of the strips; none if the tasks are bins of
    neighbours in the order of difficulty, the easiest first. count: how many tasks there are.
    solved: by attempt (hexadecimal).
    """

    metric: str
    tasks: Sequence[str]
    count: int
    solved: Mapping[str, Solved]

    @property
    def is_binned(self) -> bool:
        return not self.tasks

    def medians(self) -> list[float | None]:
        """The median percentage of each task, over the entries that ran it."""
        columns = zip(*self.solved.values(), strict=True)
        percentages = (
            [percent for one in column if (percent := worth(one)) is not None] for column in columns
        )
        return [float(median(column)) if column else None for column in percentages]


def strips_of(metric: str, entries: Mapping[str, Mapping[str, int]]) -> Strips | None:
    """The strips of entries. entries: percentages and states by task, of each attempt.

    None without tasks. A task that an entry does not name was not run.
    """
    tasks = list(dict.fromkeys(task for mine in entries.values() for task in mine))
    if not tasks:
        return None
    if len(tasks) <= MOST_TASKS:
        rows = {who: [mine.get(task, NOT_RUN) for task in tasks] for who, mine in entries.items()}
        return Strips(metric, tasks, len(tasks), rows)
    order = sorted(tasks, key=_difficulties(entries).__getitem__)
    edges = [round(at * len(order) / BINS) for at in range(BINS + 1)]
    bins = [order[low:high] for low, high in pairwise(edges)]
    binned = {
        who: [mean_solved([mine.get(task, NOT_RUN) for task in bin_tasks]) for bin_tasks in bins]
        for who, mine in entries.items()
    }
    return Strips(metric, [], len(tasks), binned)


def _difficulties(entries: Mapping[str, Mapping[str, int]]) -> dict[str, float]:
    """By task, a number that is larger for harder tasks."""
    sums: dict[str, int] = {}
    counts: dict[str, int] = {}
    for mine in entries.values():
        for task, solved in mine.items():
            percent = worth(solved)
            sums[task] = sums.get(task, 0) + (percent or 0)
            counts[task] = counts.get(task, 0) + (percent is not None)
    return {task: -sums[task] / counts[task] if counts[task] else 1.0 for task in sums}


def mean_solved(solved: Solved) -> int:
    """The mean percentage of some tasks; their highest state if none of them has one."""
    percents = [one for state in solved if (one := worth(state)) is not None]
    return (
        percentage(sum(percents) / len(percents) / 100)
        if percents
        else max(solved, default=NOT_RUN)
    )


class Quartiles(NamedTuple):
    """The quartiles of a column's values, over so many entries."""

    low: float
    median: float
    high: float
    entries: int


class Activity(NamedTuple):
    """The attempts that a board counts: how many, the last one, and how many within a week."""

    attempts: int
    last: datetime
    in_a_week: int


class SummaryJson(TypedDict):
    """A summary as it is stored: tuples as lists, and participants as texts."""

    strips: Sequence[Any] | None
    courses: Mapping[int, Sequence[int]] | Mapping[str, Sequence[int]]
    quartiles: Mapping[str, Sequence[Any]]
    activity: Sequence[Any] | None


@dataclass(frozen=True)
class BoardSummary:
    """What the pictures of a board's rows are drawn from.

    courses: of a participant with several attempts, the ranked values over time, the newest last,
    from 0 for its worst one to 100 for its best one. quartiles: by column.
    """

    strips: Strips | None = None
    courses: Mapping[int, Sequence[int]] = field(default_factory=dict)
    quartiles: Mapping[str, Quartiles] = field(default_factory=dict)
    activity: Activity | None = None

    def as_json(self) -> SummaryJson:
        strips, activity = self.strips, self.activity
        return {
            "strips": [strips.metric, strips.tasks, strips.count, strips.solved]
            if strips
            else None,
            "courses": self.courses,
            "quartiles": self.quartiles,
            "activity": activity and [activity[0], activity[1].isoformat(), activity[2]],
        }

    @classmethod
    def of_json(cls, summary: SummaryJson) -> Self:
        """What `as_json` has written."""
        strips, activity = summary["strips"], summary["activity"]
        return cls(
            Strips(*strips) if strips else None,
            {int(who): course for who, course in summary["courses"].items()},
            {key: Quartiles(*quartiles) for key, quartiles in summary["quartiles"].items()},
            Activity(activity[0], datetime.fromisoformat(activity[1]), activity[2])
            if activity
            else None,
        )
