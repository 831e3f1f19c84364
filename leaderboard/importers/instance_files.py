"""Instances in single files: a document, an object of outputs, a list, lines, or a table.

A table has a header with `id`; further texts of an instance stand in `actual-output-2`,
`expected-output-2` and so on. Its empty cells say nothing: no output, or no expected output.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, Final, Literal, NamedTuple

from leaderboard.importers.errors import ImportFailed, shown
from leaderboard.importers.part import Part
from leaderboard.importers.source import BOM, Source
from leaderboard.rules.documents import (
    ACTUAL,
    EXPECTED,
    FIELDS,
    ID,
    INPUT,
    INSTANCES,
    MAX_CHARACTERS,
    MAX_INSTANCES,
    MAX_NAMED,
    Document,
    DocumentError,
    Reader,
    parse_document,
    parse_instances,
    read_instance,
    read_rows,
    shown_id,
)
from leaderboard.rules.instances import Instance
from leaderboard.rules.misspelt import misspelt
from leaderboard.rules.strict_json import InvalidJSON, count_parts, parse_json

Shape = Literal["document", "outputs", "list", "lines", "table", ""]

LineRow = tuple[int, Any]
"""The number of a line, and the row that it is."""

Place = tuple[str, str]
"""The name of a column, and whose texts stand in it, "" for another one."""

MAX_BYTES: Final = 64 * 2**20
MAX_PARTS: Final = 25 * MAX_INSTANCES
DELIMITERS: Final = (",", ";", "\t")
MAX_HEADER: Final = 10_000

_COLUMN = re.compile(r"(actual|expected)[\W_]*output[\W_]*([0-9]*)\s*", re.IGNORECASE)
"""Of texts, in whatever spelling, with its number."""

csv.field_size_limit(max(csv.field_size_limit(), MAX_CHARACTERS))


class InLines(NamedTuple):
    """The instances of a file that has them in its lines, and the number of each one's line."""

    instances: list[Instance]
    lines: list[int]


def shape_of(source: Source) -> Shape:
    """How a file holds instances, by what is in it; "" when it does not seem to."""
    if not source.single:
        return ""
    value = source.document.value if source.document else None
    if isinstance(value, dict) and isinstance(value.get(INSTANCES), list):
        return "document"
    if isinstance(value, list) and value and _is_instance(value[0]):
        return "list"
    if any(_is_instance(row.value) for row in source.rows):
        return "lines"
    if isinstance(value, dict):
        return "outputs" if value and all(map(_is_output, value.values())) else ""
    return "table" if ID in header_of(source) else ""


def header_of(source: Source) -> list[str]:
    """The columns of a table, [] when its first line is no header with an id."""
    with closing(source.lines(source.names[0])) as lines:
        first = next(lines, (0, b""))[1][:MAX_HEADER]
    return _split(first.removeprefix(BOM).decode("utf-8", "replace"))[1]


def read_references(source: Source) -> Document:
    """What a challenge expects. Raises ImportFailed with the place or line of each wrong one."""
    readers: dict[Shape, Callable[[Source], Document]] = {
        "document": read_document,
        "list": lambda source: _alone(_read_list(source)),
        "lines": lambda source: _alone(read_lines(source, read_instance).instances),
        "table": lambda source: _alone(read_table(source, read_instance).instances),
    }
    read = readers.get(shape_of(source))
    if read is None:
        source.complain_of_json()
        _complain_of_instances(source)
        raise ImportFailed(
            f"must be a document with {INSTANCES}, a list or lines of instances with {ID} and "
            f"{EXPECTED}, or a table whose header has {ID} and {EXPECTED}; got {_what(source)}",
            file=source.label,
        )
    return read(source)


def _complain_of_instances(source: Source) -> None:
    """Raises ImportFailed with the place of what is wrong in a file that is nearly one."""
    value = source.document.value if source.document else None
    if isinstance(value, dict) and INSTANCES in value:
        read_document(source)
    if isinstance(value, list) and value and _is_nearly(value[0]):
        _read_list(source)
    if any(_is_nearly(row.value) for row in source.rows):
        read_lines(source, read_instance)


def _is_nearly(value: Any) -> bool:
    """Whether it seems to be an instance that has an id, or a field that nearly is a known one."""
    return isinstance(value, dict) and (ID in value or any(misspelt(value, FIELDS)))


def _what(source: Source) -> str:
    """What a file holds that holds no instances, in few words."""
    value = source.document.value if source.document else None
    if isinstance(value, dict):
        return f"an object with {_named(value)}"
    if isinstance(value, list):
        return f"a list of entries with {_named(value[0])}" if value else "an empty list"
    if source.rows:
        return f"lines with {_named(source.rows[0].value)}"
    if source.document:
        return "a single value"
    if not source.single:
        return "a folder of files"
    with closing(source.lines(source.names[0])) as lines:
        return "a text that is none of these" if next(lines, None) else "nothing"


def _named(value: Any) -> str:
    """The fields of an object."""
    if not isinstance(value, dict):
        return "no fields"
    names = [shown_id(name) for name in list(value)[:MAX_NAMED]]
    return f"the fields {', '.join(names)}" if names else "no fields"


def read_document(source: Source) -> Document:
    """The HarpIA input document of a file. Raises ImportFailed."""
    part = checked(source)
    try:
        return parse_document(part.value)
    except DocumentError as error:
        raise failed(error, part) from None


def _read_list(source: Source) -> list[Instance]:
    part = checked(source)
    try:
        return parse_instances(part.value)
    except DocumentError as error:
        raise failed(error, part) from None


def checked(source: Source) -> Part:
    """The JSON value of a single file, as strict as a request's. Raises ImportFailed."""
    name, size = source.names[0], 0
    for piece in source.pieces(name):
        size = _counted(size, piece, name)
    part = source.json(name)
    parts = count_parts(part.value)
    if parts is None:
        part.plain()
        raise part.fail("must not hold integers beyond 64 bits")
    if parts > MAX_PARTS:
        raise part.fail(f"has more than {MAX_PARTS} values")
    return part


def read_lines(source: Source, read: Reader) -> InLines:
    """The instances of a file with one on each line. Raises ImportFailed with the lines."""
    return _read(source, _lines(source), read)


def read_table(source: Source, read: Reader) -> InLines:
    """The instances of a table. Raises ImportFailed with the lines."""
    return _read(source, _table(source), read)


def failed(error: DocumentError, part: Part, before: str = "") -> ImportFailed:
    """What to raise for a wrong document that stands in a part, behind a path."""
    faults = [
        ImportFailed(
            fault.message,
            file=part.file,
            line=fault.at if isinstance(fault.at, int) else part.line,
            place=fault.field if isinstance(fault.at, int) else f"{before}{fault.path}",
        )
        for fault in error.faults
    ]
    faults[0].others = tuple(faults[1:])
    return faults[0]


def _alone(instances: list[Instance]) -> Document:
    return Document(instances, [], {})


def _is_instance(value: Any) -> bool:
    return isinstance(value, dict) and ID in value and (ACTUAL in value or EXPECTED in value)


def _is_output(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(each, str) for each in value)
    return value is None or isinstance(value, str)


def _read(source: Source, rows: Iterable[LineRow], read: Reader) -> InLines:
    file, lines = source.names[0], []

    def counted() -> Iterator[LineRow]:
        for line, row in rows:
            lines.append(line)
            yield line, row

    try:
        found = read_rows(counted(), read)
    except DocumentError as error:
        raise failed(error, Part(None, file)) from None
    if not found:
        raise ImportFailed("holds no instance", file=file)
    return InLines(found, lines)


def _lines(source: Source) -> Iterator[LineRow]:
    file, size = source.names[0], 0
    for number, line in source.lines(file):
        size = _counted(size, line, file)
        try:
            yield number, parse_json(line.removeprefix(BOM))
        except InvalidJSON as error:
            raise ImportFailed(error.message, file=file, line=number, place=error.place) from None


def _counted(size: int, piece: bytes, file: str) -> int:
    if size + len(piece) > MAX_BYTES:
        raise ImportFailed(f"holds more than {MAX_BYTES >> 20} MiB", file=file)
    return size + len(piece)


def _table(source: Source) -> Iterator[LineRow]:
    """Rows by their lines, under the names of a document."""
    file = source.names[0]
    texts = _texts(source)
    start, first = next(((at, text) for at, text in texts if text.strip()), (1, ""))
    delimiter, columns = _split(first)
    _check_header(columns, file, start)
    places = [(name, _field(name)) for name in columns]
    reader = csv.reader((text for _, text in texts), delimiter=delimiter, strict=True)
    line = start + 1
    try:
        for cells in reader:
            if any(cells):
                yield line, _row(places, cells, file, line)
            line = start + 1 + reader.line_num
    except csv.Error as error:
        raise ImportFailed(f"is no CSV: {error}", file=file, line=line) from None


def _texts(source: Source) -> Iterator[tuple[int, str]]:
    """Number and text of each line, with its end, as `csv` wants them."""
    file, size, number, rest = source.names[0], 0, 1, [""]
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        for piece in source.pieces(file):
            size = _counted(size, piece, file)
            *whole, tail = decoder.decode(piece).split("\n")
            for part in whole:
                yield number, _clean("".join([*rest, part, "\n"]), file, number)
                number, rest = number + 1, []
            rest.append(tail)
        yield number, _clean("".join([*rest, decoder.decode(b"", final=True)]), file, number)
    except UnicodeDecodeError as error:
        line = number + error.object[: error.start].count(b"\n")
        raise ImportFailed("must be UTF-8", file=file, line=line) from None


def _clean(line: str, file: str, number: int) -> str:
    if "\0" in line:
        raise ImportFailed("must not hold the NUL character", file=file, line=number)
    return line


def _split(line: str) -> tuple[str, list[str]]:
    """The delimiter and the columns of a header with an id; (",", []) when it is none."""
    for delimiter in DELIMITERS:
        try:
            columns = next(csv.reader([line.strip()], delimiter=delimiter, strict=True), [])
        except csv.Error:
            continue
        names = [each.strip() for each in columns]
        if len(names) > 1 and ID in names:
            return delimiter, names
    return ",", []


def _check_header(columns: Sequence[str], file: str, line: int) -> None:
    for name in columns:
        if (meant := _meant(name)) not in (name, ACTUAL, EXPECTED) or (
            meant != name and meant not in columns
        ):
            text = f"has the column {shown(name)!r}, which is not known; is it {meant}?"
            raise ImportFailed(text, file=file, line=line)
    for name, message in misspelt(columns, FIELDS):
        raise ImportFailed(f"has the column {shown(name)!r}, which {message}", file=file, line=line)
    if not {ACTUAL, EXPECTED} & set(columns):
        there_are = ", ".join(shown(name) for name in columns)
        text = f"must begin with a header that has the columns {ID} and {ACTUAL} or {EXPECTED}"
        raise ImportFailed(f"{text}; got {there_are}", file=file, line=line)
    for name, count in Counter(columns).items():
        if not name.isprintable() or not name:
            raise ImportFailed("has a column without a name that can be seen", file=file, line=line)
        if count > 1:
            raise ImportFailed(f"has the column {shown(name)!r} twice", file=file, line=line)


def _row(places: Sequence[Place], cells: Sequence[str], file: str, line: int) -> dict[str, Any]:
    if len(cells) != len(places):
        text = f"has {len(cells)} cells; the header has {len(places)}"
        raise ImportFailed(text, file=file, line=line)
    row: dict[str, Any] = {}
    for (name, field), cell in zip(places, cells, strict=True):
        if field:
            row.setdefault(field, []).extend([cell] if cell else [])
        elif name in (ID, INPUT) or cell:
            row[name] = cell
    return row


def _field(column: str) -> str:
    """Whose texts stand in a column, "" for another one."""
    found = _COLUMN.fullmatch(column)
    return f"{found[1].lower()}-output" if found and _meant(column) == column else ""


def _meant(column: str) -> str:
    """A column of texts as it is to be written; another one as it is."""
    if (found := _COLUMN.fullmatch(column)) is None:
        return column
    return "-".join(filter(None, (found[1].lower(), "output", found[2])))
