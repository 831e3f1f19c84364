"""Podium's own table of samples. A million rows take seconds, and some tens of MiB."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from json.encoder import encode_basestring_ascii as quoted
from math import isfinite
from typing import Final

from leaderboard.facts import get_fact
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.json_place import MAX_COUNT
from leaderboard.importers.reading.packed_samples import ABSENT, PackedSamples
from leaderboard.importers.reading.samples import facts
from leaderboard.importers.tools import podium_fields
from leaderboard.importers.tools.podium_rows import (
    ERROR,
    MAX_NUMBER,
    META,
    NUMBER,
    PERSON,
    SAMPLE,
    TASK,
    TIME,
    PodiumCells,
    PodiumRow,
    PodiumRows,
    meta,
    moment,
    number,
    participant,
    sent_as,
)
from leaderboard.rules.texts.messages import message

NOT_SCORED: Final = "null"
DIGITS: Final = 15
"""A number of at most so many digits is exact, so it may be a count."""
MAX_CACHED: Final = 100_000


def read_samples(key: str, rows: PodiumRows, participant: str) -> list[ImportedAttempt]:
    """An attempt of each participant, whose samples are its rows. Raises ImportFailed.

    participant: the one that the user gave; in a table with a column for it, all attempts are
    theirs.
    """
    table = _Table(key, rows, participant)
    for line, cells in rows:
        table.add(line, cells)
    return table.attempts()


@dataclass
class _Owner:
    """The attempt made from all rows of one participant."""

    samples: PackedSamples
    first: PodiumRow
    identity: _Identity
    latest: datetime | None = None


class _Identity:
    """`source_id` of all rows of a participant, `{column: text}` each, without keeping them."""

    def __init__(self, columns: Sequence[str]) -> None:
        order = sorted(range(len(columns)), key=lambda at: columns[at])
        self._keys = [(at, f"{quoted(columns[at])}:") for at in order]
        self._digest = sha256(b"[[")
        self._waiting: list[str] = []
        self._begun = False

    def add(self, cells: PodiumCells) -> None:
        parts = []
        for at, key in self._keys:
            text = cells[at]
            parts.append(f"{key}null" if text is None else f"{key}{quoted(text)}")
        self._waiting.append(f"{{{','.join(parts)}}}")
        if len(self._waiting) > 1000:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            comma = "," if self._begun else ""
            self._digest.update(f"{comma}{','.join(self._waiting)}".encode())
            self._begun = True
            self._waiting.clear()

    def of(self, key: str) -> str:
        self._flush()
        self._digest.update(b"]]")
        return f"{key}:{self._digest.hexdigest()[:40]}"


@dataclass
class _Table:
    """The places of a table's columns, and what was read so far."""

    key: str
    rows: PodiumRows
    given: str
    _all: dict[str, _Owner] = field(default_factory=dict)
    _names: dict[str | None, str] = field(default_factory=dict)
    _tasks: set[str] = field(default_factory=set)
    _numbers: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns = self.rows.columns
        place = {name: at for at, name in enumerate(columns)}
        self._task = place[TASK]
        self._person, self._sample = place.get(PERSON), place.get(SAMPLE)
        self._error, self._time = place.get(ERROR), place.get(TIME)
        own_columns = (PERSON, TASK, SAMPLE, ERROR, TIME, *podium_fields.USAGE)
        self._usage = [at for at, name in enumerate(columns) if name in podium_fields.USAGE]
        self._rewards = [
            at
            for at, name in enumerate(columns)
            if name not in own_columns and not name.startswith(META)
        ]

    def add(self, line: int, cells: PodiumCells) -> None:
        """Read a row."""
        owner = self._owner(line, cells)
        owner.identity.add(cells)
        task = cells[self._task]
        if task is None or task not in self._tasks:
            task = self.rows.cell(line, cells, self._task).name()
            self._tasks.add(task)
        at = None if self._sample is None else self._count(line, cells, self._sample)
        added = owner.samples.add(
            task,
            at,
            [self._reward(line, cells, column) for column in self._rewards],
            [self._used(line, cells, column) for column in self._usage],
            "" if self._error is None else self.rows.cell(line, cells, self._error).words(),
        )
        if not added:
            at = owner.samples.count_of(task) if at is None else at
            raise self.rows.cell(line, cells, self._task).fail(
                message("must have each sample once; got sample {at} twice", at=at)
            )
        if self._time is not None and (time := moment(self.rows.row(line, cells))):
            owner.latest = max(owner.latest or time, time)

    def attempts(self) -> list[ImportedAttempt]:
        """An attempt for each participant, in the order of their first rows."""
        return [
            ImportedAttempt(
                participant=self.given or name,
                sent=sent_as(owner.first),
                source_id=owner.identity.of(self.key),
                meta=meta(owner.first),
                samples=owner.samples,
                metrics=facts(owner.samples) if self._usage else {},
                submitted_at=owner.latest,
            )
            for name, owner in self._all.items()
        ]

    def _owner(self, line: int, cells: PodiumCells) -> _Owner:
        text = None if self._person is None else cells[self._person]
        name = self._names.get(text)
        if name is None:
            row = self.rows.row(line, cells)
            name = self.given if PERSON not in row and self.given else participant(row)
            self._names[text] = name
        owner = self._all.get(name)
        if owner is None:
            names = [self.rows.columns[at] for at in self._rewards]
            usage = [self.rows.columns[at] for at in self._usage]
            whole = [column for column in usage if get_fact(column).is_whole]
            packed = PackedSamples(names, usage, whole)
            row = self.rows.row(line, cells)
            owner = self._all[name] = _Owner(packed, row, _Identity(self.rows.columns))
        return owner

    def _reward(self, line: int, cells: PodiumCells, at: int) -> float | None:
        text = cells[at]
        if text is None:
            return ABSENT
        if text == NOT_SCORED:
            return None
        number = self._numbers.get(text)
        if number is None:
            number = self._number(line, cells, at, text)
            if len(self._numbers) < MAX_CACHED:
                self._numbers[text] = number
        return number

    def _number(self, line: int, cells: PodiumCells, at: int, text: str) -> float:
        if len(text) <= MAX_NUMBER and NUMBER.fullmatch(text) and isfinite(value := float(text)):
            return value + 0.0
        return number(self.rows.cell(line, cells, at)).number() or 0.0

    def _count(self, line: int, cells: PodiumCells, at: int) -> int | None:
        text = cells[at]
        if text is not None and text.isdecimal() and len(text) <= DIGITS:
            return int(text)
        return number(self.rows.cell(line, cells, at)).count()

    def _used(self, line: int, cells: PodiumCells, at: int) -> float:
        text = cells[at]
        if text is None:
            return ABSENT
        if text.isdecimal() and len(text) <= DIGITS and int(text) <= MAX_COUNT:
            return float(text)
        cell = number(self.rows.cell(line, cells, at))
        read = podium_fields.USAGE[self.rows.columns[at]](cell)
        return ABSENT if read is None else float(read)
