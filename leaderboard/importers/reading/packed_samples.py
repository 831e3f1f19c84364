"""Samples in columns: a million of them take some tens of MiB instead of half a GiB."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from math import isnan, nan
from typing import Final, Self, TypedDict, overload

from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.rules.rewards.evidence import Sample

ABSENT: Final = nan
"""Stands for a number that the sample does not have."""
_NO_ERROR: Final = 0


class PackedState(TypedDict):
    """The contents of `PackedSamples`. unscored: the rows of each reward, by its place.

    whole_numbers, numbers: arrays as bytes, which only the same kind of machine can read.
    """

    names: list[str]
    usage: list[str]
    whole: list[str]
    tasks: list[str]
    errors: list[str]
    unscored: list[tuple[int, list[int]]]
    whole_numbers: list[bytes]
    numbers: list[bytes]


class PackedSamples(Sequence[SampleRow]):
    """The samples of one attempt, read like a list of `{"task", "sample", "rewards", "usage",
    "error"}` whose items are made when they are read. names: the rewards that a sample may have.
    usage: the usage that it may have, such as `tokens_total`; values of those in `whole` are
    integers.
    """

    def __init__(self, names: Sequence[str], usage: Sequence[str] = (), whole: Sequence[str] = ()):
        self.names, self.usage = tuple(names), tuple(usage)
        self._whole = [name in whole for name in usage]
        self._tasks: dict[str, int] = {}
        self._task = array("I")
        self._number = array("q")
        self._rewards = [array("d") for _ in names]
        self._unscored: dict[int, set[int]] = {}
        self._used = [array("d") for _ in usage]
        self._errors: dict[str, int] = {"": _NO_ERROR}
        self._error = array("I")
        self._numbers_of: dict[int, int | set[int]] = {}
        self._count: dict[int, int] = {}

    def add(
        self,
        task: str,
        number: int | None,
        rewards: Sequence[float | None],
        usage: Sequence[float] = (),
        error: str = "",
    ) -> bool:
        """Add a sample; returns False and adds nothing if the task already has this number.

        number: None to count. rewards, usage: in the order of the names; `ABSENT` for a value that
        the sample does not have, None for a reward that was not scored. A sample without rewards
        has failed.
        """
        at = self._tasks.setdefault(task, len(self._tasks))
        count = self._count.get(at, 0)
        number = count if number is None else number
        if not self._is_fresh(at, number):
            return False
        self._count[at] = count + 1
        row = len(self._task)
        self._task.append(at)
        self._number.append(number)
        for place, value in enumerate(rewards):
            if value is None:
                self._unscored.setdefault(place, set()).add(row)
            self._rewards[place].append(ABSENT if value is None else value)
        for column, value in zip(self._used, usage, strict=True):
            column.append(value)
        self._error.append(self._errors.setdefault(error, len(self._errors)) if error else 0)
        return True

    def _is_fresh(self, task: int, number: int) -> bool:
        """Whether the number is new for the task, whose numbers are usually 0, 1, 2, …"""
        taken = self._numbers_of.get(task, 0)
        if isinstance(taken, int):
            if number == taken:
                self._numbers_of[task] = taken + 1
                return True
            if number < taken:
                return False
            self._numbers_of[task] = taken = set(range(taken))
        if number in taken:
            return False
        taken.add(number)
        return True

    def count_of(self, task: str) -> int:
        """The number of samples of a task."""
        return self._count.get(self._tasks.get(task, -1), 0)

    def __len__(self) -> int:
        return len(self._task)

    @overload
    def __getitem__(self, at: int) -> SampleRow: ...

    @overload
    def __getitem__(self, at: slice) -> list[SampleRow]: ...

    def __getitem__(self, at: int | slice) -> SampleRow | list[SampleRow]:
        rows = range(len(self))[at]
        if isinstance(rows, range):
            return [_row(made) for made in self._made(rows)]
        return _row(next(self._made(range(rows, rows + 1))))

    def __iter__(self) -> Iterator[SampleRow]:
        return (_row(made) for made in self._made(range(len(self))))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(
            one == another for one, another in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"PackedSamples({list(self)!r})"

    @property
    def tuples(self) -> PackedTuples:
        """The samples as `Sample`s."""
        return PackedTuples(self)

    @property
    def tasks(self) -> Mapping[str, int]:
        """Every task, in the order of its first sample."""
        return self._tasks

    @property
    def most_samples(self) -> int:
        """One more than the largest number of a sample."""
        return max(self._number, default=-1) + 1

    def rewards_of_tasks(self) -> dict[str, set[str]]:
        """The names that some sample of a task has."""
        rewards: list[set[str]] = [set() for _ in self._tasks]
        for place, (name, column) in enumerate(zip(self.names, self._rewards, strict=True)):
            unscored = self._unscored.get(place, ())
            having = {
                task
                for row, (task, value) in enumerate(zip(self._task, column, strict=True))
                if value == value or row in unscored
            }
            for task in having:
                rewards[task].add(name)
        return dict(zip(self._tasks, rewards, strict=True))

    def state(self) -> PackedState:
        """The contents, for `of_state`."""
        return {
            "names": list(self.names),
            "usage": list(self.usage),
            "whole": [name for name, whole in zip(self.usage, self._whole, strict=True) if whole],
            "tasks": list(self._tasks),
            "errors": list(self._errors),
            "unscored": [(place, sorted(rows)) for place, rows in self._unscored.items()],
            "whole_numbers": [
                column.tobytes() for column in (self._task, self._number, self._error)
            ],
            "numbers": [column.tobytes() for column in (*self._rewards, *self._used)],
        }

    @classmethod
    def of_state(cls, state: PackedState) -> Self:
        """The samples of a state, only for reading."""
        made = cls(state["names"], state["usage"], state["whole"])
        made._tasks = {task: at for at, task in enumerate(state["tasks"])}
        made._errors = {error: at for at, error in enumerate(state["errors"])}
        made._unscored = {place: set(rows) for place, rows in state["unscored"]}
        whole: list[array[int]] = [made._task, made._number, made._error]
        for column, content in zip(whole, state["whole_numbers"], strict=True):
            column.frombytes(content)
        numbers = (*made._rewards, *made._used)
        for values, content in zip(numbers, state["numbers"], strict=True):
            values.frombytes(content)
        return made

    def digest(self) -> str:
        """A text that is equal for equal samples in the same order."""
        hashed = sha256(repr([self.names, self.usage, list(self._tasks)]).encode())
        unscored = {place: sorted(rows) for place, rows in sorted(self._unscored.items())}
        hashed.update(repr([list(self._errors), unscored]).encode())
        columns: list[array[int] | array[float]] = [self._task, self._number, self._error]
        for column in (*columns, *self._rewards, *self._used):
            hashed.update(column.tobytes())
        return hashed.hexdigest()

    def _made(self, rows: range) -> Iterator[Sample]:
        tasks, errors = list(self._tasks), list(self._errors)
        for row in rows:
            rewards: dict[str, float | None] = {}
            for place, name in enumerate(self.names):
                value = self._rewards[place][row]
                if value == value:
                    rewards[name] = value
                elif row in self._unscored.get(place, ()):
                    rewards[name] = None
            yield Sample(
                tasks[self._task[row]],
                self._number[row],
                rewards or None,
                self._usage(row) if self._used else {},
                errors[self._error[row]],
            )

    def _usage(self, row: int) -> dict[str, float | None]:
        return {
            name: int(column[row]) if whole else column[row]
            for name, column, whole in zip(self.usage, self._used, self._whole, strict=True)
            if not isnan(column[row])
        }


def _row(made: Sample) -> SampleRow:
    return {
        "task": made.task,
        "sample": made.sample,
        "rewards": made.rewards,
        "usage": made.usage or {},
        "error": made.error,
    }


class PackedTuples(Sequence[Sample]):
    """The samples of one attempt, each made when it is asked for."""

    def __init__(self, packed: PackedSamples) -> None:
        self._packed = packed

    def __len__(self) -> int:
        return len(self._packed)

    @overload
    def __getitem__(self, at: int) -> Sample: ...

    @overload
    def __getitem__(self, at: slice) -> list[Sample]: ...

    def __getitem__(self, at: int | slice) -> Sample | list[Sample]:
        rows = range(len(self))[at]
        if isinstance(rows, range):
            return list(self._packed._made(rows))
        return next(self._packed._made(range(rows, rows + 1)))

    def __iter__(self) -> Iterator[Sample]:
        return self._packed._made(range(len(self)))
