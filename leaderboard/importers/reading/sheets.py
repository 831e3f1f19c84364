"""Tables of other tools, read as a stream: a header and rows whose cells may span lines."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from leaderboard.importers.reading.errors import (
    ImportFailed,
    legible,
    not_csv,
    not_utf8,
    wrong_width,
)
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.source import BOM, Source
from leaderboard.rules.rewards.documents import MAX_CHARACTERS
from leaderboard.rules.texts.messages import message

MAX_HEADER: Final = 256 * 1024

csv.field_size_limit(max(csv.field_size_limit(), MAX_CHARACTERS))


class SheetRow(NamedTuple):
    """The cells of a row. columns: the place of each, by name."""

    file: str
    line: int
    columns: Mapping[str, int]
    cells: Sequence[str]

    def part(self, column: str) -> JsonValue:
        """A cell as a value with its position; None if it is empty or missing."""
        text = self.text(column)
        return JsonValue(text or None, self.file, self.line, (column,))

    def text(self, column: str) -> str:
        """The text of a cell; "" if there is none."""
        at = self.columns.get(column)
        return "" if at is None else self.cells[at].strip()


def head(source: Source, name: str, length: int = 16 * 1024) -> str:
    """The first bytes of a file as text, without reading more of it than that."""
    start = b""
    for piece in source.pieces(name):
        start += piece
        if len(start) >= length:
            break
    return start[:length].removeprefix(BOM).decode("utf-8", "replace")


def columns_of(source: Source, name: str) -> list[str]:
    """The columns of the first line of a file, [] if it is no header of a table. Reads only the
    first piece of the file.
    """
    text = head(source, name, MAX_HEADER).lstrip().partition("\n")[0].strip()
    if text[:1] in ("{", "[", "<"):
        return []
    try:
        return [column.strip() for column in next(csv.reader([text], strict=True), [])]
    except csv.Error:
        return []


def rows_of(source: Source, name: str) -> Iterator[SheetRow]:
    """Each row below the header. Raises ImportFailed with the line."""
    lines = text_lines(source.pieces(name), name)
    reader = csv.reader((text for _, text in lines), strict=True)
    columns: dict[str, int] = {}
    line = 1
    try:
        for cells in reader:
            if any(map(str.strip, cells)):
                if not columns:
                    columns = _checked([cell.strip() for cell in cells], name, line)
                elif len(cells) != len(columns):
                    raise wrong_width(len(columns), len(cells), name, line)
                else:
                    yield SheetRow(name, line, columns, cells)
            line = reader.line_num + 1
    except csv.Error as error:
        raise not_csv(error, name, line) from None


def _checked(columns: list[str], name: str, line: int) -> dict[str, int]:
    """The columns; a repeated one is refused, and pandas' index column has no name."""
    places: dict[str, int] = {}
    for at, column in enumerate(columns):
        if column in places:
            raise ImportFailed(
                message("must have the column {name!r} once; got it twice", name=legible(column)),
                file=name,
                line=line,
            )
        if column or at:
            JsonValue(None, name, line, ("header",)).checked(column)
        places[column] = at
    return places


def text_lines(pieces: Iterable[bytes], file: str) -> Iterator[tuple[int, str]]:
    """Number and text of each line in UTF-8, with its end, as `csv` wants them. Raises
    ImportFailed with the line.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    number, rest = 1, [""]
    try:
        for piece in pieces:
            *whole, tail = decoder.decode(piece).split("\n")
            for part in whole:
                yield number, "".join([*rest, part, "\n"])
                number, rest = number + 1, []
            rest.append(tail)
        yield number, "".join([*rest, decoder.decode(b"", final=True)])
    except UnicodeDecodeError as error:
        line = number + error.object[: error.start].count(b"\n")
        raise not_utf8(file, line) from None
