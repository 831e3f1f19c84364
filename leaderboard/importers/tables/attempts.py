"""Attempts from a table with an attempt in each row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from leaderboard.importers.reading.amounts import at_most
from leaderboard.importers.reading.errors import ImportFailed, legible
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.naming import source_id
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import sample
from leaderboard.importers.tables.cells import is_nothing
from leaderboard.importers.tables.known_labels import TOTALS, word
from leaderboard.importers.tables.markup import plain
from leaderboard.importers.tables.overall import rows_of_parts
from leaderboard.importers.tables.reading import TableCells, TableReader, some
from leaderboard.importers.tables.sampled import sampled_attempts
from leaderboard.importers.tables.uses import AMOUNTS, FLAGS
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.names import name_key

KEY: Final = "table"


def attempts_of(reader: TableReader, participant: str) -> list[ImportedAttempt]:
    """The attempts of a table. participant: of all attempts; "" for those in the table.

    Raises ImportFailed with line and column.
    """
    reader.check()
    if reader.places("task"):
        attempts = list(at_most(sampled_attempts(KEY, reader, participant), reader.file))
    else:
        attempts = list(at_most(_Rows(reader, participant).attempts(), reader.file))
    reader.tell_names()
    reader.tell_odd()
    if not any(one.values or one.samples or one.metrics or one.submitted_at for one in attempts):
        raise ImportFailed(
            message("must contain a row with a number; got a file without any"), file=reader.file
        )
    return attempts


@dataclass
class _Rows:
    """The rows of a table, each an attempt."""

    reader: TableReader
    given: str
    _counts: Counter[str] = field(default_factory=Counter)
    _names: set[str] = field(default_factory=set)
    _several: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._participants = self.reader.places("participant")
        self._rewards = self.reader.places("reward")
        self._meta = self.reader.places("meta")
        self._useful = self.reader.places("value", "reward", "submitted_at", *FLAGS, *AMOUNTS)

    def attempts(self) -> Iterator[ImportedAttempt]:
        """An attempt for each row with more than a name, unlike headings and footnotes."""
        reader, empty = self.reader, []
        left_out = self._summing_up() or rows_of_parts(reader, self.given)
        for row, cells in enumerate(reader.grid.rows()):
            if row in left_out:
                continue
            name = reader.participant(self._participants, cells)
            if all(is_nothing(cells[at]) for at in self._useful):
                empty.append(
                    message(
                        "{name!r} in line {line}",
                        name=legible(name or cells[0]),
                        line=reader.grid.lines[row],
                    )
                )
                continue
            if not name and not self.given:
                raise reader.fail(
                    row, self._participants[0], message("must name the participant; got nothing")
                )
            if not self.given and name in self._names:
                self._several.setdefault(name)
            self._names.add(name)
            yield self._attempt(row, cells, self.given or name)
        if self._several and reader.grid.headers_again:
            raise _two_tables(reader)
        if self._several:
            names = some([repr(legible(name)) for name in self._several])
            reader.warnings.append(
                message("in several rows, each of which is an attempt: {told}", told=names)
            )
        if empty:
            reader.warnings.append(
                message("left out, as there is no number in them: {empty}", empty=some(empty))
            )

    def _attempt(self, row: int, cells: TableCells, participant: str) -> ImportedAttempt:
        reader = self.reader
        values = reader.numbers("value", cells)
        metrics = reader.facts(row, cells)
        meta = reader.meta({at: cells[at] for at in self._meta})
        samples: list[SampleRow] = [
            {**sample(reader.profiles[at].label, {self._reward(at): value}), "sample": 0}
            for at in self._rewards
            if (value := reader.number(at, cells[at])) is not None
        ]
        moment = reader.moment(cells)
        parts = [values, samples, metrics, meta, moment.isoformat() if moment else None]
        identity = source_id(KEY, name_key(participant), *parts)
        self._counts[identity] += 1
        return ImportedAttempt(
            participant=participant,
            source_id=f"{identity}:{self._counts[identity]}",
            meta=meta,
            samples=samples,
            values=values,
            metrics=metrics,
            submitted_at=moment,
            fields=reader.fields(cells),
        )

    def _reward(self, at: int) -> str:
        """The reward of a column that is a task: called `reward` unless the use gives a name."""
        use = self.reader.use(at)
        return "reward" if use.name == self.reader.profiles[at].label else use.name or "reward"

    def _summing_up(self) -> set[int]:
        """The first and the last rows if they are totals or averages of the others."""
        grid = self.reader.grid
        columns = (grid.columns[at] for at in self._participants)
        names = [" ".join(map(plain, row_cells)) for row_cells in zip(*columns, strict=True)]
        totals = {*_totals(names), *_totals(names, from_the_end=True)}
        if not 0 < len(totals) < len(names):
            return set()
        places = [
            message("{name} in line {line}", name=legible(names[row]), line=grid.lines[row])
            if names[row]
            else message("a row without a name in line {line}", line=grid.lines[row])
            for row in sorted(totals)
        ]
        self.reader.warnings.append(
            message("left out, as they sum up the others: {told}", told=some(places))
        )
        return totals


def _two_tables(reader: TableReader) -> ImportFailed:
    """The exception for two tables with the same header and the same participants."""
    text = message(
        "must hold one table; got several tables, as its header is repeated and a participant "
        "is in more than one of them; upload one of them alone"
    )
    return ImportFailed(text, file=reader.file, line=reader.grid.headers_again[0])


def _totals(names: Sequence[str], *, from_the_end: bool = False) -> Iterator[int]:
    """Yield the first rows with names of totals; from the end also rows without a name."""
    rows = range(len(names))
    for row in reversed(rows) if from_the_end else rows:
        if word(names[row]) not in TOTALS and (names[row] or not from_the_end):
            return
        yield row
