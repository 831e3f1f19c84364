"""Tables of instances: a header with `id`, then a row for each instance.

Further texts of an instance stand in `actual-output-2`, `expected-output-2` and so on. An empty
cell means no output, or no expected output.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from leaderboard.importers.reading.errors import ImportFailed, legible, not_csv, wrong_width
from leaderboard.importers.reading.sheets import text_lines
from leaderboard.importers.reading.source import Source
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.rewards.documents import ACTUAL, EXPECTED, FIELDS, ID, INPUT, MAX_CHARACTERS
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.misspelt import meant_names

LineRow = tuple[int, Any]
"""The number of a line, and its row."""
ColumnPlace = tuple[str, str]
"""The name of a column, and the field of its texts; "" for other columns."""
MAX_BYTES: Final = 64 * 2**20
DELIMITERS: Final = (",", ";", "\t")
MAX_HEADER: Final = 10_000
_COLUMN = re.compile(r"(actual|expected)[\W_]*output[\W_]*([0-9]*)\s*", re.IGNORECASE)
"""The name of a column of texts, in any spelling, with its number."""

csv.field_size_limit(max(csv.field_size_limit(), MAX_CHARACTERS))


def count_bytes(size: int, piece: bytes, file: str) -> int:
    if size + len(piece) > MAX_BYTES:
        raise ImportFailed(
            message("must hold at most {most} MiB; got more", most=MAX_BYTES >> 20), file=file
        )
    return size + len(piece)


def table_rows(source: Source) -> Iterator[LineRow]:
    """Rows by their lines, under the names of a document."""
    file = source.names[0]
    texts = _texts(source)
    start, first = next(((at, text) for at, text in texts if text.strip()), (1, ""))
    delimiter, columns = split_header(first)
    for problem in _problems(columns):
        raise ImportFailed(problem, file=file, line=start)
    places = [(name, _field(name)) for name in columns]
    reader = csv.reader((text for _, text in texts), delimiter=delimiter, strict=True)
    line = start + 1
    try:
        for cells in reader:
            if any(cells):
                yield line, _row(places, cells, file, line)
            line = start + 1 + reader.line_num
    except csv.Error as error:
        raise not_csv(error, file, line) from None


def _texts(source: Source) -> Iterator[tuple[int, str]]:
    """Number and text of each line of a file that is not too large."""
    file = source.names[0]
    for number, line in text_lines(_counted(source.pieces(file), file), file):
        if "\0" in line:
            raise ImportFailed(
                message("must not hold the NUL character; got one"), file=file, line=number
            )
        yield number, line


def _counted(pieces: Iterable[bytes], file: str) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size = count_bytes(size, piece, file)
        yield piece


def split_header(line: str) -> tuple[str, list[str]]:
    """The delimiter and the columns of a header with an id; (",", []) for any other line."""
    for delimiter in DELIMITERS:
        try:
            columns = next(csv.reader([line.strip()], delimiter=delimiter, strict=True), [])
        except csv.Error:
            continue
        names = [column.strip() for column in columns]
        if len(names) > 1 and ID in names:
            return delimiter, names
    return ",", []


def _problems(columns: Sequence[str]) -> Iterator[str]:
    """What is wrong with the columns of a header, the most helpful problem first."""
    for name, meant in _misspelt(columns):
        yield message(
            "must have known columns; got {name!r}: did you mean {meant}?",
            name=legible(name),
            meant=meant,
        )
    if not {ACTUAL, EXPECTED} & set(columns):
        yield message(
            "must begin with a header that has the columns {id} and {actual} or {expected}; got "
            "{columns}",
            id=ID,
            actual=ACTUAL,
            expected=EXPECTED,
            columns=", ".join(legible(name) for name in columns),
        )
    for name, count in Counter(columns).items():
        if not name.isprintable() or not name:
            yield message("must have columns with names that can be seen; got one without")
        if count > 1:
            yield message("must have the column {name!r} once; got it twice", name=legible(name))


def _misspelt(columns: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Columns with a name that is not quite that of a field, and the name that is meant.

    A column of further texts needs the column of the first text beside it.
    """
    for name in columns:
        meant = _meant(name)
        if meant not in (name, ACTUAL, EXPECTED) or (meant != name and meant not in columns):
            yield name, meant
    yield from meant_names(columns, FIELDS)


def _row(places: Sequence[ColumnPlace], cells: Sequence[str], file: str, line: int) -> JsonObject:
    if len(cells) != len(places):
        raise wrong_width(len(places), len(cells), file, line)
    row: JsonObject = {}
    texts: dict[str, list[str]] = {field: [] for _, field in places if field}
    for (name, field), cell in zip(places, cells, strict=True):
        if field:
            texts[field].extend([cell] if cell else [])
        elif name in (ID, INPUT) or cell:
            row[name] = cell
    return {**row, **texts}


def _field(column: str) -> str:
    """The field whose texts a column holds; "" for another column."""
    match = _COLUMN.fullmatch(column)
    return f"{match[1].lower()}-output" if match and _meant(column) == column else ""


def _meant(column: str) -> str:
    """The correct name of a column of texts; other columns unchanged."""
    if (match := _COLUMN.fullmatch(column)) is None:
        return column
    return "-".join(filter(None, (match[1].lower(), "output", match[2])))
