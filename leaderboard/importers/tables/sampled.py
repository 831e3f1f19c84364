"""Attempts from a table with a sample in each row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from leaderboard.facts import get_fact
from leaderboard.importers.reading.errors import legible
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.json_place import MAX_COUNT, MAX_NAME
from leaderboard.importers.reading.naming import MAX_ERROR, source_id
from leaderboard.importers.reading.packed_samples import ABSENT, PackedSamples
from leaderboard.importers.reading.samples import facts
from leaderboard.importers.tables.cells import printable
from leaderboard.importers.tables.known_labels import OVERALL, word
from leaderboard.importers.tables.markup import plain
from leaderboard.importers.tables.reading import TableCells, TableReader, some
from leaderboard.importers.tables.uses import USAGE, wrong
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.names import name_key

DIGITS: Final = 15
_NOT_SCORED: Final = "null"


def sampled_attempts(key: str, reader: TableReader, participant: str) -> Iterator[ImportedAttempt]:
    """An attempt for each participant of a table, whose samples are its rows.

    participant: of all attempts; "" for those in the table. Raises ImportFailed.
    """
    table = _Samples(reader, participant)
    for row, cells in enumerate(reader.grid.rows()):
        if not table.sums_up(row, cells):
            table.add(row, cells)
    table.tell_left_out()
    for name, owner in table.by_participant.items():
        handle = participant or name
        constant = {at: text for at, text in owner.meta.items() if text is not None}
        yield ImportedAttempt(
            participant=handle,
            source_id=source_id(key, name_key(handle), owner.samples.digest()),
            meta=reader.meta(constant),
            samples=owner.samples,
            metrics=facts(owner.samples) if owner.samples.usage else {},
            submitted_at=owner.latest,
        )


@dataclass
class _ParticipantRows:
    """The rows of one participant. meta: texts by place; None where its rows differ."""

    samples: PackedSamples
    meta: dict[int, str | None] = field(default_factory=dict)
    latest: datetime | None = None


@dataclass
class _Samples:
    """The places of a table's columns, and what was read so far."""

    reader: TableReader
    given: str
    by_participant: dict[str, _ParticipantRows] = field(default_factory=dict)
    _names: dict[tuple[str, ...], str] = field(default_factory=dict)
    _left_out: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        places = self.reader.places
        self._participants, self._rewards, self._usage = (
            places("participant"),
            places("reward"),
            places(*USAGE),
        )
        (self._task,) = places("task")
        self._number = next(iter(places("sample")), None)
        self._error = next(iter(places("error")), None)
        self._meta, self._has_time = places("meta"), bool(places("submitted_at"))
        if not self._rewards:
            raise wrong(
                message("must use a column as a reward, because each row has a task; got none")
            )

    def sums_up(self, row: int, cells: TableCells) -> bool:
        """Whether a row is no task, but the average or the total of the others."""
        profile = self.reader.profiles[self._task]
        if not profile.totals or profile.totals == profile.filled:
            return False
        name = plain(cells[self._task])
        if word(name) not in OVERALL:
            return False
        line = self.reader.grid.lines[row]
        self._left_out.append(message("{name} in line {line}", name=legible(name), line=line))
        return True

    def tell_left_out(self) -> None:
        if self._left_out:
            tasks = some(self._left_out)
            self.reader.warnings.append(
                message("left out, as they sum up the others: {told}", told=tasks)
            )

    def add(self, row: int, cells: TableCells) -> None:
        """Read a row."""
        reader, owner = self.reader, self._of(row, cells)
        added = owner.samples.add(
            self._task_in(row, cells),
            None if self._number is None else self._count(row, self._number, cells),
            [self._reward(at, cells[at]) for at in self._rewards],
            [self._used(row, at, cells[at]) for at in self._usage],
            "" if self._error is None else printable(cells[self._error])[:MAX_ERROR],
        )
        if not added:
            raise reader.fail(
                row, self._task, message("must have each sample once; got this one twice")
            )
        for at in self._meta:
            if owner.meta.setdefault(at, cells[at]) != cells[at]:
                owner.meta[at] = None
        if self._has_time and (moment := reader.moment(cells)):
            owner.latest = max(owner.latest or moment, moment)

    def _of(self, row: int, cells: TableCells) -> _ParticipantRows:
        key = tuple(cells[at] for at in self._participants)
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = self.reader.participant(self._participants, cells)
        if not name and not self.given:
            at = (self._participants or [self._task])[0]
            raise self.reader.fail(row, at, message("must name the participant; got nothing"))
        if name not in self.by_participant:
            uses = [self.reader.use(at).kind for at in self._usage]
            whole = [kind for kind in uses if get_fact(kind).is_whole]
            names = [self.reader.use(at).name for at in self._rewards]
            self.by_participant[name] = _ParticipantRows(PackedSamples(names, uses, whole))
        return self.by_participant[name]

    def _task_in(self, row: int, cells: TableCells) -> str:
        text = printable(cells[self._task])
        if not 1 <= len(text) <= MAX_NAME:
            problem = message(
                "must have 1 to {most} characters; got {length}", most=MAX_NAME, length=len(text)
            )
            raise self.reader.fail(row, self._task, problem)
        return text

    def _reward(self, at: int, text: str) -> float | None:
        if text.casefold() == _NOT_SCORED:
            return None
        value = self.reader.number(at, text)
        return ABSENT if value is None else value

    def _used(self, row: int, at: int, text: str) -> float:
        value = self.reader.number(at, text)
        return ABSENT if value is None else float(self.reader.amount(row, at, value))

    def _count(self, row: int, at: int, cells: TableCells) -> int | None:
        text = cells[at]
        if text.isdecimal() and len(text) <= DIGITS:
            return int(text)
        value = self.reader.number(at, text)
        if value is None:
            return None
        if not 0 <= value <= MAX_COUNT or value != int(value):
            raise self.reader.fail(
                row, at, message("must be a whole number from 0; got {text!r}", text=legible(text))
            )
        return int(value)
