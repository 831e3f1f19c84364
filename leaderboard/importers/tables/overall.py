"""Several rows of one participant, by split or subject, of which the one for all of them counts.

Otherwise the best split of a model would count as its result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from leaderboard.importers.reading.errors import ImportFailed, legible
from leaderboard.importers.tables.known_labels import OVERALL, PARTICIPANT, PARTS, word
from leaderboard.importers.tables.markup import plain
from leaderboard.importers.tables.reading import TableReader, some
from leaderboard.importers.tables.uses import wrong
from leaderboard.rules.texts.messages import message


@dataclass
class _Group:
    """The rows of one participant. overall: those that stand for all others, by their name."""

    rows: list[int] = field(default_factory=list)
    overall: dict[int, list[int]] = field(default_factory=dict)

    @property
    def counted(self) -> list[int]:
        """The rows that stand for all others, under the first of the names."""
        return self.overall[min(self.overall)] if self.overall else []


def rows_of_parts(reader: TableReader, participant: str) -> set[int]:
    """The rows that are left out, because another row of their participant stands for all.

    participant: of all rows, "" for those in the table. Raises ImportFailed if the table has
    several rows of a participant by split or subject, and none for all.
    """
    place = _column_of_parts(reader)
    if place is None:
        return set()
    groups = _groups(reader, place, participant)
    several = {name: group for name, group in groups.items() if len(group.rows) > 1}
    label = reader.profiles[place].label
    if unclear := [name for name, rows in several.items() if len(rows.counted) != 1]:
        if word(label) in PARTS:
            raise _which(reader, label, unclear[0])
        return set()
    left_out = [row for rows in several.values() for row in rows.rows if row not in rows.counted]
    if left_out:
        reader.warnings.append(_warning(reader, place, several, sorted(left_out)))
    return set(left_out)


def _column_of_parts(reader: TableReader) -> int | None:
    """The column by which the rows of a participant differ, if one says so."""
    places = [
        at
        for at in reader.places("meta")
        if reader.profiles[at].holds == "text"
        and word(reader.profiles[at].label) not in PARTICIPANT
    ]
    named = [at for at in places if word(reader.profiles[at].label) in PARTS]
    summed = [at for at in places if reader.profiles[at].totals]
    return next(iter([*named, *summed]), None)


def _groups(reader: TableReader, place: int, participant: str) -> dict[str, _Group]:
    groups: dict[str, _Group] = {}
    participants = reader.places("participant")
    for row, cells in enumerate(reader.grid.rows()):
        name = participant or reader.participant(participants, cells)
        group = groups.setdefault(name, _Group())
        group.rows.append(row)
        if (part := word(plain(cells[place]))) in OVERALL:
            group.overall.setdefault(OVERALL.index(part), []).append(row)
    return groups


def _which(reader: TableReader, label: str, participant: str) -> ImportFailed:
    text = message(
        "must say which row counts, as {participant!r} has several by {label!r}, and not exactly "
        "one for all of them, such as Overall: upload only that row, or say with {label}=task that "
        "each row is a task, or with {label}=ignore that each row is an attempt",
        participant=legible(participant),
        label=legible(label),
    )
    question = wrong(text)
    question.is_question = True
    return question


def _warning(
    reader: TableReader, place: int, groups: Mapping[str, _Group], left_out: Sequence[int]
) -> str:
    cells = list(reader.grid.columns[place])
    counted = [row for group in groups.values() for row in group.counted]
    label = reader.profiles[place].label
    return message(
        "of several rows of a participant the one for all of them counts: {counted}; left out: "
        "{left_out}; with {label}=task each row is a task",
        counted=some([_row(reader, cells, row) for row in counted]),
        left_out=some([_row(reader, cells, row) for row in left_out]),
        label=legible(label),
    )


def _row(reader: TableReader, cells: Sequence[str], row: int) -> str:
    return message(
        "{name} in line {line}", name=legible(plain(cells[row])), line=reader.grid.lines[row]
    )
