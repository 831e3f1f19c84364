"""A table in memory: its columns, packed, under the labels of its header."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, legible
from leaderboard.importers.tables.cells import is_nothing, kind_of
from leaderboard.importers.tables.header import (
    MAX_TOLD,
    distinct_labels,
    header_of,
    known_header,
)
from leaderboard.importers.tables.known_labels import KNOWN, PARTICIPANT, word
from leaderboard.importers.tables.texts import TableRow
from leaderboard.rules.texts.messages import listed, message

MAX_COLUMNS: Final = 1_000
MAX_CELLS: Final = 16_384
"""The cells of a row of Excel, most of which may be empty; longer rows are not looked at."""
ROWS_PER_CHUNK: Final = 4096
MAX_ABOVE: Final = 30
"""How many rows may precede the header."""
_MARK: Final = "\x1f"


class GridColumn:
    """The cells of one column, in chunks of joined text."""

    def __init__(self, label: str) -> None:
        self.label = label
        self._chunks: list[bytes] = []

    def append(self, cells: Iterable[str]) -> None:
        """Add a chunk of cells, each without space around it."""
        text = _MARK.join(cell.replace(_MARK, " ") for cell in cells)
        self._chunks.append(text.encode("utf-8", "replace"))

    def chunks(self) -> Iterator[list[str]]:
        """The cells, some thousands at a time."""
        for chunk in self._chunks:
            yield chunk.decode().split(_MARK)

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self.chunks())


class Grid:
    """A table. lines: the line of each row in its file. above: rows above the header.

    headers_again: lines of rows that repeat the header, which are left out. short: line and number
    of cells of each row with fewer cells than the `needed` ones of the header. notes: sentences
    about the header.
    """

    def __init__(self, labels: Sequence[str], above: int) -> None:
        self.columns = [GridColumn(label) for label in labels]
        self.lines = array("Q")
        self.above = above
        self.headers_again: list[int] = []
        self.short: list[tuple[int, int]] = []
        self.needed = 0
        self.notes: list[str] = []

    def __len__(self) -> int:
        return len(self.lines)

    def rows(self) -> Iterator[tuple[str, ...]]:
        """The cells of each row."""
        return zip(*self.columns, strict=True)


def grid_of(rows: Iterator[TableRow], file: str, *, is_headed: bool = False) -> Grid:
    """The table in some rows. Raises ImportFailed if it has no header, or no row below it.

    is_headed: whether the first row is the header by the format of the file.
    """
    first = list(islice(rows, MAX_ABOVE))
    check_width(max((len(cells) for _, cells in first), default=0), file, MAX_CELLS)
    try:
        header = known_header(first) if is_headed else header_of(first)
    except ImportFailed as refused:
        raise ImportFailed(refused.message, file=file, line=refused.line) from None
    if header is None:
        raise ImportFailed(_no_table(first), file=file)
    width = len(header.labels)
    check_width(width, file)
    grid = Grid(distinct_labels(header.labels), header.first)
    grid.notes.extend(header.notes)
    last = [cell.strip() for cell in first[header.last][1]]
    _fill(grid, chain(first[header.last + 1 :], rows), last, file)
    _check_beside(grid, header.labels, file)
    return grid


def check_width(width: int, file: str, most: int = MAX_COLUMNS) -> None:
    """Refuse a table with too many columns. Raises ImportFailed."""
    if width > most:
        raise ImportFailed(
            message("must have at most {most} columns; got {width}", width=width, most=MAX_COLUMNS),
            file=file,
        )


def _no_table(rows: Sequence[TableRow]) -> str:
    """The error for a table without a header or without a row below it."""
    full = [cells for _, cells in rows if any(cell.strip() for cell in cells)]
    if not full:
        return message(
            "must have a header and a row for each participant or sample; got an empty table"
        )
    if len(full) == 1 and len(full[0]) > 1:
        return message("must have a row below its header; got none")
    if max(map(len, full)) == 1:
        return message("must have at least two columns, who a row is of and a number; got one")
    return message("must be a table with a header and a row below it; got another text")


def looks_like_a_table(rows: Iterator[TableRow]) -> bool:
    """Whether there is a header of at least two columns, and below it a row with a number."""
    first = [(line, cells[:MAX_CELLS]) for line, cells in islice(rows, MAX_ABOVE)]
    try:
        header = header_of(first)
    except ImportFailed:
        return True  # the reader says that the header is missing
    below = first[header.last + 1 :] if header else []
    return any(kind_of(cell) in ("number", "switch") for _, cells in below for cell in cells)


def _fill(grid: Grid, rows: Iterator[TableRow], header: Sequence[str], file: str) -> None:
    width = len(grid.columns)
    needed = len(header) - next((at for at, cell in enumerate(reversed(header)) if cell), 0)
    while chunk := list(islice(rows, ROWS_PER_CHUNK)):
        kept = []
        for line, cells in chunk:
            row = _fitted(cells, width, file, line)
            if row[: len(header)] == header:
                grid.headers_again.append(line)
            elif _is_other_header(row, header):
                raise ImportFailed(_other_table(row), file=file, line=line)
            elif not all(map(is_nothing, row)):
                _note_short(grid, line, cells, needed)
                kept.append(row)
                grid.lines.append(line)
        for column, cells_of in zip(grid.columns, zip(*kept, strict=True), strict=bool(kept)):
            column.append(cells_of)
    if not len(grid):
        raise ImportFailed(message("must have a row below its header; got none"), file=file)


def _is_other_header(row: Sequence[str], header: Sequence[str]) -> bool:
    """Whether a row begins like the header and goes on with other labels: a second table."""
    is_alike = row[0].casefold() == header[0].casefold() and word(header[0]) in KNOWN
    if not is_alike:
        return False
    kinds = {kind_of(cell) for cell in row[1:] if not is_nothing(cell)}
    return kinds == {"text"}


def _other_table(row: Sequence[str]) -> str:
    labels = listed([repr(legible(cell)) for cell in row[:MAX_TOLD] if cell])
    return message(
        "must hold one table; got several tables, of which another one begins with {labels}; "
        "upload one of them alone",
        labels=labels,
    )


def _check_beside(grid: Grid, labels: Sequence[str], file: str) -> None:
    """Refuse tables that stand side by side, whose rows are of different participants."""
    for at, label in enumerate(labels):
        first = labels.index(label)
        if first == at or word(label) not in PARTICIPANT:
            continue
        for row, (name, other) in enumerate(
            zip(grid.columns[first], grid.columns[at], strict=True)
        ):
            if name and other and name != other:
                text = message(
                    "must hold one table; got several tables side by side, with {first!r} and "
                    "{other!r} in one row; upload one of them alone",
                    first=legible(name),
                    other=legible(other),
                )
                raise ImportFailed(text, file=file, line=grid.lines[row], place=legible(label))


def _note_short(grid: Grid, line: int, cells: Sequence[str], needed: int) -> None:
    """Note a row that breaks off; one with a single cell is a heading or a footnote."""
    if len(cells) < needed and sum(bool(cell.strip()) for cell in cells) > 1:
        grid.short.append((line, len(cells)))
        grid.needed = needed


def _fitted(cells: Sequence[str], width: int, file: str, line: int) -> list[str]:
    """The cells of a row, as many as the header has."""
    row = [cell.strip() for cell in cells]
    if len(row) > width and any(row[width:]):
        text = message(
            "must have as many cells as the header, {width}; got {count}, from {first!r} on",
            width=width,
            count=len(row),
            first=legible(row[0]),
        )
        raise ImportFailed(text, file=file, line=line)
    return [*row[:width], *[""] * (width - len(row))]
