"""The text of a table: its encoding, its delimiter, its rows."""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Final, NamedTuple

from leaderboard.importers.reading.errors import ImportFailed, not_csv
from leaderboard.importers.reading.source import Source
from leaderboard.importers.tables.cells import kind_of
from leaderboard.rules.texts.messages import message

DELIMITERS: Final = ("\t", ";", "|", ",")
"""The delimiters; those that are rare within cells come first."""
MAX_PEEKED: Final = 50
"""How many lines are read to find the delimiter."""
MAX_CELL: Final = 1_048_576

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NAMES: Final = {
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp1252": "Windows-1252 (Latin-1)",
}

TableRow = tuple[int, list[str]]
"""The number of a line, counted from 1, and its cells."""

csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL))


class DecodedText(NamedTuple):
    """Lines of a file with their ends. encoding: in words, "" for UTF-8."""

    lines: Iterator[str]
    encoding: str


def text_of(source: Source, name: str) -> DecodedText:
    """The lines of a file in UTF-8, UTF-16 or else in Windows-1252."""
    encoding = encoding_of(source, name)
    return DecodedText(lines_of(source, name, encoding), _NAMES.get(encoding, ""))


def lines_of(source: Source, name: str, encoding: str) -> Iterator[str]:
    """The lines of a file with their ends, read as a stream. Raises UnicodeDecodeError."""
    errors = "replace" if encoding == "cp1252" else "strict"
    raw = io.BufferedReader(_Pieces(source.pieces(name)), 1 << 18)
    return iter(io.TextIOWrapper(raw, encoding, errors, newline=""))


def encoding_of(source: Source, name: str) -> str:
    """The encoding of a file, as Python calls it."""
    pieces = source.pieces(name)
    first = next(pieces, b"")
    for mark, encoding in _MARKS:
        if first.startswith(mark):
            return encoding
    if guessed := _unmarked_utf16(first[:1000]):
        return guessed
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for piece in chain([first], pieces):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _unmarked_utf16(start: bytes) -> str:
    """The encoding, by the zeros between letters: `m\\0o\\0d\\0` has its low bytes first."""
    even, odd = start[::2].count(0), start[1::2].count(0)
    half = len(start) // 2
    if half and max(even, odd) > half * 0.6 and min(even, odd) < half * 0.1:
        return "utf-16-le" if odd > even else "utf-16-be"
    return ""


class _Pieces(io.RawIOBase):
    """Pieces of bytes as a file that can be read once."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def rows_of(text: DecodedText, file: str) -> Iterator[TableRow]:
    """The rows of a table that have a cell with something in it. Raises ImportFailed."""
    lines = text.lines
    try:
        peeked = list(islice(lines, MAX_PEEKED))
    except UnicodeError:
        raise ImportFailed(
            message("must be a text in a known encoding; got another"), file=file
        ) from None
    before = 0
    delimiter = _declared_delimiter(peeked[0]) if peeked else ""
    if delimiter:
        peeked, before = peeked[1:], 1
    reader = csv.reader(
        chain(peeked, lines), delimiter=delimiter or delimiter_of(peeked), strict=True
    )
    line = before + 1
    try:
        for cells in reader:
            if any(cells):
                yield line, cells
            line = before + 1 + reader.line_num
    except csv.Error as error:
        raise not_csv(error, file, line) from None
    except UnicodeError:
        raise ImportFailed(
            message("must be complete; got a text that breaks off"), file=file, line=line
        ) from None


def _declared_delimiter(line: str) -> str:
    """The delimiter that Excel's first line `sep=;` gives, "" if there is none."""
    first_line = line.strip('\r\n\ufeff"')
    return first_line[4] if len(first_line) == 5 and first_line.lower().startswith("sep=") else ""


def delimiter_of(lines: Iterable[str]) -> str:
    """The delimiter that gives most lines the same number of cells, more than one.

    Among several, the one that gives more numbers: `a;1,5` is `a` and `1,5`, not `a;1` and `5`.
    """
    return max(DELIMITERS, key=lambda delimiter: _fit(list(lines), delimiter))


MAX_FITTED: Final = 1_000
"""How many cells of a row decide between delimiters."""


def _fit(lines: list[str], delimiter: str) -> tuple[float, float]:
    """The share of rows with the most frequent width, and the share of numbers in them."""
    rows: list[list[str]] = []
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    with suppress(csv.Error):  # the last of the lines may be the first of a cell with several
        rows.extend(cells for cells in reader if any(cells))
    wide = Counter(len(cells) for cells in rows if len(cells) > 1)
    if not wide:
        return 0.0, 0.0
    width, count = max(wide.items(), key=lambda item: (item[1], item[0]))
    cells = [cell.strip() for row in rows if len(row) == width for cell in row[:MAX_FITTED]]
    numbers = sum(kind_of(cell) in ("number", "nothing") for cell in cells)
    return count / len(rows), numbers / len(cells)
