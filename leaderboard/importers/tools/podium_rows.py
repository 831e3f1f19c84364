"""The rows of Podium's own tables, read as a stream, and the values of their cells."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Final

from leaderboard.facts import FactValue
from leaderboard.importers.reading.errors import ImportFailed, not_csv, not_utf8, wrong_width
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.source import BOM, Source
from leaderboard.importers.tables.texts import lines_of
from leaderboard.importers.tools import podium_fields
from leaderboard.importers.tools.podium_fields import FieldReader
from leaderboard.rules.texts.messages import message

DELIMITERS: Final = (",", ";", "\t")
PERSON, TASK, SAMPLE, ERROR, TIME, META = (
    "participant",
    "task",
    "sample",
    "error",
    "submitted_at",
    "meta.",
)
SWITCHES: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}

NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?")
MAX_NUMBER: Final = 400

PodiumCells = Sequence[str | None]
"""The texts of a row, None for an empty cell."""
PodiumRow = dict[str, JsonValue]


class PodiumRows:
    """The rows below the header of a table, each once: the number of a line, and its cells.

    columns: of the header. Raises ImportFailed when it is made, for a wrong header, and while it
    is read.
    """

    def __init__(self, source: Source, file: str) -> None:
        self.file = file
        self._source = source
        self._lines = lines_of(source, file, "utf-8-sig")
        skipped, first = self._first_line()
        self._delimiter, self.columns = header_of(first.encode())
        _check_header(file, self.columns)
        self._texts = chain(["\n"] * skipped, [first], self._lines)

    def _first_line(self) -> tuple[int, str]:
        """The number of blank lines, and the line after them."""
        skipped = 0
        try:
            for line in self._lines:
                if line.strip():
                    return skipped, line
                skipped += 1
        except UnicodeDecodeError:
            raise self._not_utf8() from None
        return skipped, ""

    def __iter__(self) -> Iterator[tuple[int, PodiumCells]]:
        reader = csv.reader(self._texts, delimiter=self._delimiter or ",", strict=True)
        width, seen_header = len(self.columns), False
        try:
            for cells in reader:
                row = [cell.strip() or None for cell in cells]
                if not any(row):
                    continue
                if seen_header:
                    if len(row) != width:
                        raise wrong_width(width, len(row), self.file, reader.line_num)
                    yield reader.line_num, row
                seen_header = True
        except csv.Error as error:
            raise not_csv(error, self.file, reader.line_num) from None
        except UnicodeDecodeError:
            raise self._not_utf8() from None

    def row(self, line: int, cells: PodiumCells) -> PodiumRow:
        """A row whose cells have positions for errors."""
        return {name: self.cell(line, cells, at) for at, name in enumerate(self.columns)}

    def cell(self, line: int, cells: PodiumCells, at: int) -> JsonValue:
        return JsonValue(cells[at], self.file, line, (self.columns[at],))

    def _not_utf8(self) -> ImportFailed:
        """The exception with the place of the first wrong byte; reads the file again."""
        try:
            self._source.read(self.file).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            return ImportFailed(
                message("must be UTF-8; got byte {number}, which is not", number=error.start),
                file=self.file,
            )
        return not_utf8(self.file)


def header_of(line: bytes) -> tuple[str, list[str]]:
    """The delimiter and the columns of a header, ("", []) for other lines."""
    text = line.removeprefix(BOM).decode("utf-8", "replace").strip()
    for delimiter in DELIMITERS:
        try:
            columns = next(csv.reader([text], delimiter=delimiter, strict=True), [])
        except csv.Error:
            continue
        names = [column.strip() for column in columns]
        if len(names) > 1 and (PERSON in names or TASK in names):
            return delimiter, names
    return "", []


def _check_header(file: str, columns: list[str]) -> None:
    if not columns:
        raise ImportFailed(
            message(
                "must begin with a header that has a column {person} or {task}; got none",
                person=PERSON,
                task=TASK,
            ),
            file=file,
            line=1,
        )
    for name, count in Counter(columns).items():
        JsonValue(name, file, 1, ("header",)).name()
        if count > 1:
            raise ImportFailed(
                message("must have the column {name!r} once; got it twice", name=name),
                file=file,
                line=1,
            )


def number(cell: JsonValue) -> JsonValue:
    """The number in a cell."""
    text = cell.value
    if text is None:
        return cell
    if len(text) > MAX_NUMBER or not NUMBER.fullmatch(text):
        raise cell.fail(message("must be a number"))
    return JsonValue(float(text), cell.file, cell.line, cell.path)


def read_cells(
    cells: Mapping[str, JsonValue], readers: Mapping[str, FieldReader]
) -> dict[str, FactValue]:
    """The values of those cells that have a reader."""
    values = {name: readers[name](_typed(cell)) for name, cell in cells.items() if name in readers}
    return {name: value for name, value in values.items() if value is not None}


def _typed(cell: JsonValue) -> JsonValue:
    if cell.path == ("succeeded",) and cell.value is not None:
        if cell.value.lower() not in SWITCHES:
            raise cell.fail(message("must be true or false"))
        return JsonValue(SWITCHES[cell.value.lower()], cell.file, cell.line, cell.path)
    return number(cell)


def participant(row: PodiumRow) -> str:
    """The name of a row's participant. Raises ImportFailed."""
    if PERSON not in row:
        cell = next(iter(row.values()))
        raise ImportFailed(
            message(
                "must have a column {person}, or the upload must give the participant; got neither",
                person=PERSON,
            ),
            file=cell.file,
            field=PERSON,
        )
    return podium_fields.participant(row[PERSON])


def sent_as(row: PodiumRow) -> str:
    """The participant as the table writes it, "" where it has no column for it."""
    return str(row[PERSON].value or "") if PERSON in row else ""


def moment(row: PodiumRow) -> datetime | None:
    """When a row was submitted, if it says so."""
    return podium_fields.moment(row[TIME]) if TIME in row else None


def meta(row: PodiumRow) -> dict[str, str]:
    """The values of a row whose names begin with `meta.`."""
    return {
        name.removeprefix(META): cell.name()
        for name, cell in row.items()
        if name.startswith(META) and cell.value is not None and name != META
    }
