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
    shown_id,
)
from leaderboard.rules.instances import Instance
from leaderboard.rules.messages import message
from leaderboard.rules.misspelt import meant_names, misspelt
from leaderboard.rules.strict_json import InvalidJSON, check_value, parse_json
from leaderboard.schemas.documents import parse_document, parse_instances
from leaderboard.schemas.errors import SchemaError, joined
from leaderboard.schemas.instances import Read, Row, read_instance, read_rows

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
    """The references of a challenge. Raises ImportFailed with the position of each wrong one."""
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
            message(
                "must be a document with {instances}, a list or lines of instances with {id} and "
                "{expected}, or a table whose header has {id} and {expected}; got {what}",
                instances=INSTANCES,
                id=ID,
                expected=EXPECTED,
                what=_what(source),
            ),
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
    """A short description of a file without instances."""
    value = source.document.value if source.document else None
    if isinstance(value, dict):
        return message("an object with {fields}", fields=_named(value))
    if isinstance(value, list) and not value:
        return message("an empty list")
    if isinstance(value, list):
        return message("a list of entries with {fields}", fields=_named(value[0]))
    if source.rows:
        return message("lines with {fields}", fields=_named(source.rows[0].value))
    if source.document:
        return message("a single value")
    if not source.single:
        return message("a folder of files")
    with closing(source.lines(source.names[0])) as lines:
        has_text = next(lines, None) is not None
    return message("a text that is none of these") if has_text else message("nothing")


def _named(value: Any) -> str:
    """The fields of an object."""
    if not isinstance(value, dict):
        return message("no fields")
    names = [shown_id(name) for name in list(value)[:MAX_NAMED]]
    return message("the fields {names}", names=", ".join(names)) if names else message("no fields")


def read_document(source: Source) -> Document:
    """The HarpIA input document of a file. Raises ImportFailed."""
    part = checked(source)
    try:
        return parse_document(part.value)
    except SchemaError as error:
        raise failed(error, part) from None


def _read_list(source: Source) -> list[Instance]:
    part = checked(source)
    try:
        return parse_instances(part.value)
    except SchemaError as error:
        raise failed(error, part) from None


def checked(source: Source) -> Part:
    """The JSON value of a single file, as strict as a request's. Raises ImportFailed."""
    name, size = source.names[0], 0
    for piece in source.pieces(name):
        size = _counted(size, piece, name)
    part = source.json(name)
    try:
        check_value(part.value, MAX_PARTS)
    except InvalidJSON as error:
        raise ImportFailed(error.message, file=part.file, place=error.place) from None
    return part


def read_lines(source: Source, read: Read) -> InLines:
    """The instances of a file with one on each line. Raises ImportFailed with the lines."""
    return _read(source, _lines(source), read)


def read_table(source: Source, read: Read) -> InLines:
    """The instances of a table. Raises ImportFailed with the lines."""
    return _read(source, _table(source), read)


def failed(error: SchemaError, part: Part, before: str = "") -> ImportFailed:
    """What to raise for a wrong document that is in a part, behind a path."""
    return _together(
        ImportFailed(text, file=part.file, line=part.line, place=joined(before, path))
        for path, text in error.errors
    )


def _of_lines(error: SchemaError, file: str) -> ImportFailed:
    """The same for rows whose paths begin with the number of their line."""
    split = ((*path.partition("."), text) for path, text in error.errors)
    return _together(
        ImportFailed(text, file=file, line=int(line or 0), place=place)
        for line, _, place, text in split
    )


def _together(failures: Iterable[ImportFailed]) -> ImportFailed:
    first, *others = failures
    first.others = tuple(others)
    return first


def _alone(instances: list[Instance]) -> Document:
    return Document(instances, [], {})


def _is_instance(value: Any) -> bool:
    return isinstance(value, dict) and ID in value and (ACTUAL in value or EXPECTED in value)


def _is_output(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(each, str) for each in value)
    return value is None or isinstance(value, str)


def _read(source: Source, rows: Iterable[LineRow], read: Read) -> InLines:
    file, lines = source.names[0], []

    def counted() -> Iterator[Row]:
        for line, row in rows:
            lines.append(line)
            yield str(line), row

    try:
        found = read_rows(counted(), read)
    except SchemaError as error:
        raise _of_lines(error, file) from None
    if not found:
        raise ImportFailed(message("holds no instance"), file=file)
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
        raise ImportFailed(message("holds more than {most} MiB", most=MAX_BYTES >> 20), file=file)
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
        raise ImportFailed(
            message("is no CSV: {error}", error=error), file=file, line=line
        ) from None


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
        raise ImportFailed(message("must be UTF-8"), file=file, line=line) from None


def _clean(line: str, file: str, number: int) -> str:
    if "\0" in line:
        raise ImportFailed(message("must not hold the NUL character"), file=file, line=number)
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
            text = message(
                "has the column {name!r}, which is not known; is it {meant}?",
                name=shown(name),
                meant=meant,
            )
            raise ImportFailed(text, file=file, line=line)
    for name, meant in meant_names(columns, FIELDS):
        raise ImportFailed(
            message(
                "has the column {name!r}, which is not known; is it {meant}?",
                name=shown(name),
                meant=meant,
            ),
            file=file,
            line=line,
        )
    if not {ACTUAL, EXPECTED} & set(columns):
        there_are = ", ".join(shown(name) for name in columns)
        text = message(
            "must begin with a header that has the columns {id} and {actual} or {expected}; got "
            "{columns}",
            id=ID,
            actual=ACTUAL,
            expected=EXPECTED,
            columns=there_are,
        )
        raise ImportFailed(text, file=file, line=line)
    for name, count in Counter(columns).items():
        if not name.isprintable() or not name:
            raise ImportFailed(
                message("has a column without a name that can be seen"), file=file, line=line
            )
        if count > 1:
            raise ImportFailed(
                message("has the column {name!r} twice", name=shown(name)), file=file, line=line
            )


def _row(places: Sequence[Place], cells: Sequence[str], file: str, line: int) -> dict[str, Any]:
    if len(cells) != len(places):
        text = message(
            "has {cells} cells; the header has {places}", cells=len(cells), places=len(places)
        )
        raise ImportFailed(text, file=file, line=line)
    row: dict[str, Any] = {}
    for (name, field), cell in zip(places, cells, strict=True):
        if field:
            row.setdefault(field, []).extend([cell] if cell else [])
        elif name in (ID, INPUT) or cell:
            row[name] = cell
    return row


def _field(column: str) -> str:
    """The field whose texts a column holds; "" for another column."""
    found = _COLUMN.fullmatch(column)
    return f"{found[1].lower()}-output" if found and _meant(column) == column else ""


def _meant(column: str) -> str:
    """A column of texts as it is to be written; another one as it is."""
    if (found := _COLUMN.fullmatch(column)) is None:
        return column
    return "-".join(filter(None, (found[1].lower(), "output", found[2])))
