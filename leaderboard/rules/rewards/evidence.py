"""The rewards of an attempt as metrics get them.

A cell (task × reward × sample) is a number, or one of three states:

- `undefined`: the task does not have this reward. It is left out, unless a metric says `zero`;
- `failed`: the reward is missing although it should exist. It counts 0, unless a metric says
  `exclude`;
- `not_run`: there is no such sample. Nothing is known, so metrics do not get it.

Only `RewardEvidence.metric_input` decides this; metrics never get a cell without a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Final, NamedTuple

from leaderboard.rules.rewards.clusters import cluster_numbers
from leaderboard.rules.rewards.intervals import UNBOUNDED, Interval
from leaderboard.rules.rewards.metric_inputs import MetricInput, ScriptInput
from leaderboard.rules.rewards.samples import (
    NUMBER,
    ONLY_REWARD,
    DeclaredTask,
    Policy,
    RewardCell,
    RewardState,
    Sample,
    cell_of,
    metric_numbers,
    number_of,
    put_in_order,
    worth_of,
)

__all__ = [
    "ONLY_REWARD",
    "DeclaredTask",
    "MetricInput",
    "Policy",
    "RewardCell",
    "RewardEvidence",
    "RewardState",
    "Sample",
    "ScriptInput",
    "TaskRow",
]

NO_BOUNDS: Final[Mapping[str, Interval]] = MappingProxyType({})


class TaskRow(NamedTuple):
    """A task with the cells of each reward, one for each of the attempt's sample numbers."""

    task: str
    cells: dict[str, list[RewardCell]]


class RewardEvidence:
    """The samples of one attempt, by task.

    A failed sample should have the rewards that its task declares; otherwise those that other
    samples of the task have; otherwise the only reward name of the attempt, if it has just one;
    otherwise none. A scored sample should have those that its task declares. A name that is null
    everywhere and declared nowhere is a placeholder, and is dropped.

    `tasks` are in order, the declared ones first; the samples of each by number. `rewards` are the
    names that are declared or submitted. `clusters` are the names of clusters by tasks.
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
        """tasks: further names, of tasks that may have no sample. reward: a known reward name.
        bounds: the declared lowest and highest values of rewards.

        Raises ValueError if a task has two samples of one number.
        """
        declared = list(declared)
        self._declared = {task.name: frozenset(task.rewards) for task in declared if task.rewards}
        self._groups = {task.name: task.group for task in declared if task.group}
        self.clusters = {task.name: task.cluster for task in declared if task.cluster}
        self._weights = {task.name: task.weight for task in declared}
        self._bounds = bounds
        self._samples: dict[str, list[Sample]] = {task.name: [] for task in declared}
        for name in tasks:
            self._samples.setdefault(name, [])
        for sample in samples:
            if (ordered := self._samples.get(sample.task)) is None:
                ordered = self._samples[sample.task] = []
            ordered.append(sample)
        for ordered in self._samples.values():
            put_in_order(ordered)
        self.rewards = tuple(self._names(declared, reward))
        self._cells: dict[str | None, list[list[RewardCell]]] = {}
        self._metric_inputs: dict[tuple[str | None, Policy, Policy, str | None], MetricInput] = {}

    @property
    def tasks(self) -> Sequence[str]:
        return list(self._samples)

    @property
    def groups(self) -> Sequence[str]:
        """The groups of the declared tasks, in their order."""
        return list(dict.fromkeys(self._groups.values()))

    @property
    def samples(self) -> Iterable[Sequence[Sample]]:
        """The samples of each task."""
        return self._samples.values()

    @cached_property
    def sample_numbers(self) -> list[int]:
        """Every number that a sample of any task has."""
        return sorted(set().union(*(map(NUMBER, ordered) for ordered in self.samples)))

    def metric_input(
        self,
        reward: str | None,
        *,
        failed: Policy = "zero",
        undefined: Policy = "exclude",
        group: str | None = None,
    ) -> MetricInput:
        """The numbers of a reward for a metric. reward: None if the attempt has no reward name.

        group: only the tasks of this group. Tasks that are declared without the reward are left
        out, unless undefined rewards count as zero.
        """
        key = (reward, failed, undefined, group)
        if key not in self._metric_inputs:
            self._metric_inputs[key] = self._metric_input(*key)
        return self._metric_inputs[key]

    def script_input(
        self,
        reward: str | None,
        *,
        failed: Policy = "zero",
        undefined: Policy = "exclude",
        group: str | None = None,
    ) -> ScriptInput:
        """The lines for a metric script: one per sample, of one reward or (None) of all."""
        names = self.rewards if reward is None else (reward,)
        columns = {name: self.cells(name) for name in names}
        worth = worth_of(failed, undefined)
        rows: list[dict[str, float] | None] = []
        defined = lost = total = 0
        for task, (name, ordered) in enumerate(self._samples.items()):
            if group is not None and self._groups.get(name) != group:
                continue
            total += 1
            for place, sample in enumerate(ordered):
                if sample.rewards is not None:
                    cells = ((name, column[task][place]) for name, column in columns.items())
                    numbers = ((name, number_of(cell, worth)) for name, cell in cells)
                    rows.append({name: value for name, value in numbers if value is not None})
                elif failed == "zero":
                    rows.append(None)
            scored = sum(sample.rewards is not None for sample in ordered)
            defined += scored > 0
            lost += len(ordered) - scored
        return ScriptInput(rows, defined, total, lost)

    def cells(self, reward: str | None) -> list[list[RewardCell]]:
        """The state of a reward in each existing sample of each task."""
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
        cells: dict[str, list[RewardCell]] = {}
        for reward in self.rewards:
            by_number = dict(
                zip(
                    (sample.sample for sample in ordered),
                    self._cells_of(task, ordered, reward),
                    strict=True,
                )
            )
            absent: RewardCell = "not_run" if self._may_have(task, reward) else "undefined"
            cells[reward] = [by_number.get(number, absent) for number in self.sample_numbers]
        return TaskRow(task, cells)

    def _metric_input(
        self, reward: str | None, failed: Policy, undefined: Policy, group: str | None
    ) -> MetricInput:
        worth, cells = worth_of(failed, undefined), self.cells(reward)
        if reward is not None and reward not in self.rewards:
            worth["undefined"] = None  # a reward that no sample has is undefined
        task_rewards: list[list[float]] = []
        weights: list[float] = []
        tasks: list[str] = []
        lost, ran = 0, False
        for (task, ordered), states in zip(self._samples.items(), cells, strict=True):
            if group is not None and self._groups.get(task) != group:
                continue
            numbers = metric_numbers(ordered, states, worth, failed)
            ran = ran or bool(ordered)
            if undefined == "exclude" and self._lacks(task, reward, states):
                continue
            task_rewards.append(numbers)
            weights.append(self._weights.get(task, 1.0))
            tasks.append(task)
            lost += states.count("failed") if reward else sum(s.rewards is None for s in ordered)
        nothing = (
            None if any(task_rewards) else self._why_nothing(reward, lost, ran, bool(task_rewards))
        )
        bounds = self._possible(reward, failed, undefined)
        clusters = cluster_numbers(tasks, self.clusters)
        return MetricInput(task_rewards, lost, nothing, weights, bounds, tasks, clusters)

    def _possible(self, reward: str | None, failed: Policy, undefined: Policy) -> Interval:
        """The declared bounds of a reward, wide enough for the zeros of the policies."""
        low, high = self._bounds.get(reward or "", UNBOUNDED)
        if "zero" in (failed, undefined):
            return min(low, 0.0), max(high, 0.0)
        return low, high

    def _why_nothing(self, reward: str | None, lost: int, ran: bool, may_have: bool) -> RewardState:
        """ran: whether there is any sample. may_have: whether any task may have the reward."""
        if lost:
            return "failed"
        owed = reward in self.rewards and may_have
        return "undefined" if ran and not owed else "not_run"

    def _lacks(self, task: str, reward: str | None, states: Iterable[RewardCell]) -> bool:
        """Whether the task is declared without the reward, and no sample has it."""
        if reward is None or reward in self._declared.get(task, (reward,)):
            return False
        return all(state == "undefined" for state in states)

    def _cells_of(
        self, task: str, ordered: Sequence[Sample], reward: str | None
    ) -> list[RewardCell]:
        if reward is None or reward not in self.rewards:
            return ["undefined"] * len(ordered)
        declared = reward in self._declared.get(task, ())
        owed = reward in self._owed(task) if any(s.rewards is None for s in ordered) else declared
        return [cell_of(sample, reward, owed, declared) for sample in ordered]

    def _owed(self, task: str) -> Iterable[str]:
        """The rewards that a failed sample of the task should have."""
        if task in self._declared:
            return self._declared[task]
        named = {name for sample in self._samples[task] for name in sample.rewards or ()}
        named.intersection_update(self.rewards)
        return named or (self.rewards if len(self.rewards) == 1 else ())

    def _may_have(self, task: str, reward: str) -> bool:
        """Whether a sample of the task that was not run could have this reward."""
        owed = self._owed(task)
        return not owed or reward in owed

    def _names(self, declared: Sequence[DeclaredTask], reward: str | None) -> Iterable[str]:
        names = dict.fromkeys(name for task in declared for name in task.rewards)
        if reward is not None:
            names.setdefault(reward)
        for ordered in self._samples.values():
            for sample in ordered:
                if not sample.rewards or sample.rewards.keys() <= names.keys():
                    continue
                for name, value in sample.rewards.items():
                    if value is not None:
                        names.setdefault(name)
        return names
