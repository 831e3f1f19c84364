"""What a metric may see of the rewards of an attempt.

A cell (task × reward × sample) is a number, or one of three things that are not:

- `undefined`: the task does not have this reward. Left out, unless a metric says `zero`;
- `failed`: it should have come back and did not. Counts 0, unless a metric says `exclude`;
- `not_run`: there is no such sample. Nothing is known, so no metric sees anything of it.

`Evidence.seen` is the one place that decides; no metric ever meets a cell without a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, Self

from leaderboard.rules.intervals import UNBOUNDED, Interval, Packed, pack

State = Literal["undefined", "failed", "not_run"]
Cell = float | State
Policy = Literal["zero", "exclude"]

ONLY_REWARD = "reward"
"""What the reward is called where there is but one and nobody says its name."""

NO_BOUNDS: Final[Mapping[str, Interval]] = MappingProxyType({})


class Sample(NamedTuple):
    """One try at a task.

    rewards: by name, None for one that was not scored; None altogether: the sample failed.
    usage: what it took, such as `tokens_total`, `elapsed_ms`, `cost_usd`, as far as reported.
    """

    task: str
    sample: int
    rewards: Mapping[str, float | None] | None
    usage: Mapping[str, float | None] | None = None
    error: str = ""


class DeclaredTask(NamedTuple):
    """A task of a challenge and the rewards that each of its samples owes; none: not said."""

    name: str
    rewards: tuple[str, ...] = ()


@dataclass(frozen=True)
class Seen:
    """What a metric may see: a list of numbers for each task, empty where there is none.

    failed: how many samples failed to bring this reward. nothing: why no task is left, if so.
    bounds: the lowest and the highest number that there can be.
    """

    task_rewards: list[list[float]]
    failed: int
    nothing: State | None
    bounds: Interval = UNBOUNDED

    @property
    def total(self) -> int:
        return len(self.task_rewards)

    @cached_property
    def packed(self) -> Packed:
        return pack(self.task_rewards)


class Lines(NamedTuple):
    """What a metric script may see: per sample its rewards by name, None for a failed sample.

    defined, total: tasks with a line that is not None, and all tasks. failed: samples.
    """

    rows: list[dict[str, float] | None]
    defined: int
    total: int
    failed: int


class TaskRow(NamedTuple):
    """A task with the cells of each reward, one for each of the attempt's sample numbers."""

    task: str
    cells: dict[str, list[Cell]]


class Evidence:
    """The samples of one attempt, by task.

    A failed sample owes the rewards that its task declares; else those that other samples of the
    task have; else, where the whole attempt has one reward name, that one; else none. A sample
    that was scored owes what its task declares. A name that is null everywhere and declared
    nowhere is a placeholder, and is dropped.

    `tasks` are in order, the declared ones first; the samples of each by number. `rewards` are
    the names that are declared or brought.
    """

    def __init__(
        self,
        samples: Iterable[Sample],
        declared: Iterable[DeclaredTask] = (),
        *,
        tasks: Iterable[str] = (),
        reward: str | None = None,
        bounds: Mapping[str, Interval] = NO_BOUNDS,
    ) -> None:
        """tasks: further names, of tasks that may have no sample. reward: a name that is known.
        bounds: the lowest and the highest value of rewards, as far as the challenge declares them.

        Raises ValueError when a task has two samples of one number.
        """
        declared = list(declared)
        self._declared = {task.name: frozenset(task.rewards) for task in declared if task.rewards}
        self._bounds = bounds
        self._samples: dict[str, list[Sample]] = {task.name: [] for task in declared}
        for name in tasks:
            self._samples.setdefault(name, [])
        for sample in samples:
            self._samples.setdefault(sample.task, []).append(sample)
        for ordered in self._samples.values():
            _put_in_order(ordered)
        self.rewards = tuple(self._names(declared, reward))
        self._cells: dict[str | None, list[list[Cell]]] = {}
        self._seen: dict[tuple[str | None, Policy, Policy], Seen] = {}

    @classmethod
    def of_task_rewards(
        cls,
        task_rewards: Mapping[str, Sequence[float | None]],
        declared: Iterable[DeclaredTask] = (),
    ) -> Self:
        """The short form, for one reward: its values by task, None for a sample that failed."""
        samples = (
            Sample(task, number, None if value is None else {ONLY_REWARD: value})
            for task, values in task_rewards.items()
            for number, value in enumerate(values)
        )
        return cls(samples, declared, tasks=task_rewards, reward=ONLY_REWARD)

    @property
    def tasks(self) -> Sequence[str]:
        return list(self._samples)

    @property
    def samples(self) -> Iterable[Sequence[Sample]]:
        """The samples of each task."""
        return self._samples.values()

    @cached_property
    def sample_numbers(self) -> list[int]:
        """Every number that a sample of any task has."""
        return sorted({each.sample for ordered in self.samples for each in ordered})

    def seen(
        self, reward: str | None, *, failed: Policy = "zero", undefined: Policy = "exclude"
    ) -> Seen:
        """What a metric may see of a reward; None: of an attempt that has no reward name at all."""
        key = (reward, failed, undefined)
        if key not in self._seen:
            self._seen[key] = self._look(reward, failed, undefined)
        return self._seen[key]

    def lines(
        self, reward: str | None, *, failed: Policy = "zero", undefined: Policy = "exclude"
    ) -> Lines:
        """What a metric script may see: a line per sample, of one reward or (None) of all."""
        names = self.rewards if reward is None else (reward,)
        columns = {name: self.cells(name) for name in names}
        worth = _worth(failed, undefined)
        rows: list[dict[str, float] | None] = []
        defined = lost = 0
        for task, ordered in enumerate(self.samples):
            for place, sample in enumerate(ordered):
                if sample.rewards is not None:
                    cells = ((name, column[task][place]) for name, column in columns.items())
                    numbers = ((name, _number(cell, worth)) for name, cell in cells)
                    rows.append({name: value for name, value in numbers if value is not None})
                elif failed == "zero":
                    rows.append(None)
            scored = sum(sample.rewards is not None for sample in ordered)
            defined += scored > 0
            lost += len(ordered) - scored
        return Lines(rows, defined, len(self._samples), lost)

    def cells(self, reward: str | None) -> list[list[Cell]]:
        """What each sample of each task has of a reward, for those samples that there are."""
        if reward not in self._cells:
            self._cells[reward] = [
                self._cells_of(task, ordered, reward) for task, ordered in self._samples.items()
            ]
        return self._cells[reward]

    def rows(self, first: int = 0, last: int | None = None) -> list[TaskRow]:
        """The tasks from number `first` up to `last` as rows of a table."""
        return [self._row(task) for task in self.tasks[first:last]]

    def _row(self, task: str) -> TaskRow:
        ordered = self._samples[task]
        cells: dict[str, list[Cell]] = {}
        for reward in self.rewards:
            there = dict(
                zip(
                    (each.sample for each in ordered),
                    self._cells_of(task, ordered, reward),
                    strict=True,
                )
            )
            absent: Cell = "not_run" if self._may_have(task, reward) else "undefined"
            cells[reward] = [there.get(number, absent) for number in self.sample_numbers]
        return TaskRow(task, cells)

    def _look(self, reward: str | None, failed: Policy, undefined: Policy) -> Seen:
        if reward is not None and reward not in self.rewards and any(self.samples):
            return Seen([[] for _ in self._samples], 0, "undefined")
        worth, cells = _worth(failed, undefined), self.cells(reward)
        seen: list[list[float]] = []
        for ordered, states in zip(self.samples, cells, strict=True):
            numbers = (
                _number(cell, worth)
                for sample, cell in zip(ordered, states, strict=True)
                if failed == "zero" or sample.rewards is not None
            )
            seen.append([value for value in numbers if value is not None])
        lost = sum(states.count("failed") for states in cells)
        if reward is None:
            lost = sum(each.rewards is None for ordered in self.samples for each in ordered)
        nothing = None if any(seen) else self._why_nothing(reward, lost)
        return Seen(seen, lost, nothing, self._possible(reward, failed, undefined))

    def _possible(self, reward: str | None, failed: Policy, undefined: Policy) -> Interval:
        """The declared bounds of a reward, wide enough for the zeros of the policies."""
        low, high = self._bounds.get(reward or "", UNBOUNDED)
        if "zero" in (failed, undefined):
            return min(low, 0.0), max(high, 0.0)
        return low, high

    def _why_nothing(self, reward: str | None, lost: int) -> State:
        if lost:
            return "failed"
        return "undefined" if reward is None and any(self.samples) else "not_run"

    def _cells_of(self, task: str, ordered: Sequence[Sample], reward: str | None) -> list[Cell]:
        if reward is None or reward not in self.rewards:
            return ["undefined"] * len(ordered)
        declared = reward in self._declared.get(task, ())
        owed = reward in self._owed(task) if any(s.rewards is None for s in ordered) else declared
        return [_cell(sample, reward, owed, declared) for sample in ordered]

    def _owed(self, task: str) -> Iterable[str]:
        """What a failed sample of the task owes."""
        if task in self._declared:
            return self._declared[task]
        brought = {name for each in self._samples[task] for name in each.rewards or ()}
        brought.intersection_update(self.rewards)
        return brought or (self.rewards if len(self.rewards) == 1 else ())

    def _may_have(self, task: str, reward: str) -> bool:
        """Whether a sample of the task that is not there could have brought this reward."""
        owed = self._owed(task)
        return not owed or reward in owed

    def _names(self, declared: Sequence[DeclaredTask], reward: str | None) -> Iterable[str]:
        names = dict.fromkeys(name for task in declared for name in task.rewards)
        if reward is not None:
            names.setdefault(reward)
        for ordered in self._samples.values():
            for sample in ordered:
                for name, value in (sample.rewards or {}).items():
                    if value is not None:
                        names.setdefault(name)
        return names


def _put_in_order(samples: list[Sample]) -> None:
    samples.sort(key=lambda each: each.sample)
    for one, other in pairwise(samples):
        if one.sample == other.sample:
            raise ValueError(f"task {one.task!r} has sample {one.sample} twice")


def _cell(sample: Sample, reward: str, owed: bool, declared: bool) -> Cell:
    if sample.rewards is None:
        return "failed" if owed else "undefined"
    if reward not in sample.rewards:
        return "failed" if declared else "undefined"
    value = sample.rewards[reward]
    return "failed" if value is None else float(value)


def _worth(failed: Policy, undefined: Policy) -> dict[Cell, float | None]:
    """What stands in for a cell without a number; None: nothing does."""
    return {
        "failed": 0.0 if failed == "zero" else None,
        "undefined": 0.0 if undefined == "zero" else None,
    }


def _number(cell: Cell, worth: Mapping[Cell, float | None]) -> float | None:
    return cell if isinstance(cell, float) else worth[cell]
