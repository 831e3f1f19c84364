"""Instances in single files: a document, an object of outputs, a list, lines, or a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import Any, Final, Literal, NamedTuple

from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.instance_tables import (
    MAX_HEADER,
    LineRow,
    count_bytes,
    split_header,
    table_rows,
)
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.source import BOM, Source
from leaderboard.rules.json.strict import InvalidJSON, check_value, parse_json
from leaderboard.rules.rewards.documents import (
    ACTUAL,
    EXPECTED,
    FIELDS,
    ID,
    INSTANCES,
    MAX_INSTANCES,
    MAX_NAMED,
    Document,
    shown_id,
)
from leaderboard.rules.rewards.instances import Instance
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.misspelt import misspelt
from leaderboard.schemas.documents import parse_document, parse_instances
from leaderboard.schemas.errors import SchemaError, joined
from leaderboard.schemas.instances import LocatedRow, ReadInstance, read_instance, read_rows

FileShape = Literal["document", "outputs", "list", "lines", "table", ""]


MAX_PARTS: Final = 25 * MAX_INSTANCES


class InLines(NamedTuple):
    """The instances of a file that has them in its lines, and the number of each one's line."""

    instances: list[Instance]
    lines: list[int]


def shape_of(source: Source) -> FileShape:
    """The form in which a file contains instances; "" if it seems to contain none."""
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
    """The columns of a table; [] if its first line is not a header with an id."""
    with closing(source.lines(source.names[0])) as lines:
        first = next(lines, (0, b""))[1][:MAX_HEADER]
    return split_header(first.removeprefix(BOM).decode("utf-8", "replace"))[1]


def read_references(source: Source) -> Document:
    """The references of a challenge. Raises ImportFailed with the position of each wrong one."""
    readers: dict[FileShape, Callable[[Source], Document]] = {
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
    """Raise ImportFailed with the first error of a file that is nearly a file of instances."""
    value = source.document.value if source.document else None
    if isinstance(value, dict) and INSTANCES in value:
        read_document(source)
    if isinstance(value, list) and value and _is_nearly(value[0]):
        _read_list(source)
    if any(_is_nearly(row.value) for row in source.rows):
        read_lines(source, read_instance)


def _is_nearly(value: Any) -> bool:
    """Whether a value seems to be an instance: it has an id, or a misspelt known field."""
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


def checked(source: Source) -> JsonValue:
    """The JSON value of a single file, as strict as a request's. Raises ImportFailed."""
    name, size = source.names[0], 0
    for piece in source.pieces(name):
        size = count_bytes(size, piece, name)
    part = source.json(name)
    try:
        check_value(part.value, MAX_PARTS)
    except InvalidJSON as error:
        raise ImportFailed(error.message, file=part.file, place=error.place) from None
    return part


def read_lines(source: Source, read: ReadInstance) -> InLines:
    """The instances of a file with one on each line. Raises ImportFailed with the lines."""
    return _read(source, _lines(source), read)


def read_table(source: Source, read: ReadInstance) -> InLines:
    """The instances of a table. Raises ImportFailed with the lines."""
    return _read(source, table_rows(source), read)


def failed(error: SchemaError, part: JsonValue, before: str = "") -> ImportFailed:
    """The exception for a wrong document in a part. before: the path of the document."""
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
    first, *further = failures
    first.further = tuple(further)
    return first


def _alone(instances: list[Instance]) -> Document:
    return Document(instances, [], {})


def _is_instance(value: Any) -> bool:
    return isinstance(value, dict) and ID in value and (ACTUAL in value or EXPECTED in value)


def _is_output(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(text, str) for text in value)
    return value is None or isinstance(value, str)


def _read(source: Source, rows: Iterable[LineRow], read: ReadInstance) -> InLines:
    file, lines = source.names[0], []

    def counted() -> Iterator[LocatedRow]:
        for line, row in rows:
            lines.append(line)
            yield str(line), row

    try:
        instances = read_rows(counted(), read)
    except SchemaError as error:
        raise _of_lines(error, file) from None
    if not instances:
        raise ImportFailed(message("must contain an instance; got a file without any"), file=file)
    return InLines(instances, lines)


def _lines(source: Source) -> Iterator[LineRow]:
    file, size = source.names[0], 0
    for number, line in source.lines(file):
        size = count_bytes(size, line, file)
        try:
            yield number, parse_json(line.removeprefix(BOM))
        except InvalidJSON as error:
            raise ImportFailed(error.message, file=file, line=number, place=error.place) from None
