"""Rows of a table as JSON: a list of objects, an object a line, or what pandas writes as JSON.

The name of each field is the label of a column. An object in a row gives a column for each of its
fields, `scores.mmlu`; lists are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, Final

from leaderboard.importers.reading.errors import ImportFailed, legible
from leaderboard.importers.reading.json_place import MAX_NAME, JsonValue, parse
from leaderboard.importers.reading.source import BOM, Source
from leaderboard.importers.tables.cells import exact_number, number_in
from leaderboard.importers.tables.grid import check_width
from leaderboard.importers.tables.known_labels import PARTICIPANT, word
from leaderboard.importers.tables.texts import TableRow
from leaderboard.rules.texts.messages import listed, message

LINES: Final = (".jsonl", ".ndjson")
MAX_DEPTH: Final = 3
MAX_JSON: Final = 64 * 2**20
"""The most bytes of a file that is one JSON value; its rows take some ten times as much memory."""
PEEKED: Final = 20


def holds_records(source: Source) -> bool:
    """Whether a file is JSON with rows that are objects, with numbers in them."""
    if not source.single:
        return False
    first = list(islice(_first_records(source), PEEKED))
    return bool(first) and all(map(_is_object, first)) and any(map(_has_number, first))


def check_size(source: Source) -> None:
    """Raises ImportFailed for a file that is one JSON value, and too large to be read as one."""
    if not source.single or not _is_one_value(source):
        return
    size = 0
    for piece in source.pieces(source.names[0]):
        size += len(piece)
        if size > MAX_JSON:
            text = message(
                "must hold at most {most} MiB as one JSON value, so write it as JSON lines, a row "
                "on each; got more",
                most=MAX_JSON >> 20,
            )
            raise ImportFailed(text, file=source.names[0])


def _is_one_value(source: Source) -> bool:
    """Whether a file begins like JSON, and its first line is not an object before other lines."""
    with closing(source.lines(source.names[0])) as lines:
        first, second = next(lines, (0, b"")), next(lines, None)
    start = first[1].removeprefix(BOM).lstrip()[:1]
    if start != b"{" or second is None:
        return start in (b"{", b"[")
    try:
        return not isinstance(parse(first[1], source.names[0]).value, dict)
    except ImportFailed:
        return True


def record_rows(source: Source) -> tuple[list[str], Iterator[TableRow]]:
    """Sentences for the preview, and the rows, the first of which is the header.

    The rows are read twice, first for the names of their fields, so that no more than one of them
    is held, unless the file is one JSON value. Raises ImportFailed for a row that is no object,
    and for too many columns.
    """
    columns: dict[str, None] = {}
    lists: dict[str, None] = {}
    for record in _records(source):
        for label, value in _fields(record):
            (lists if isinstance(value, list) else columns).setdefault(label)
            check_width(len(columns), source.label)
    notes: list[str] = []
    if lists:
        labels = listed([legible(label) for label in lists])
        notes.append(message("left out, as there are lists in it: {columns}", columns=labels))
    return notes, _table_rows(source, list(columns))


def _table_rows(source: Source, columns: Sequence[str]) -> Iterator[TableRow]:
    yield 1, list(columns)
    for number, record in enumerate(_records(source), 1):
        values = dict(_fields(record))
        yield record.line or number, [_text(values.get(label)) for label in columns]


def _first_records(source: Source) -> Iterator[JsonValue]:
    try:
        if source.document is not None:
            yield from _records(source)
        else:
            yield from source.rows or islice(_records(source), PEEKED)
    except ImportFailed:
        return


def _records(source: Source) -> Iterator[JsonValue]:
    """Each row as an object; the first of lists has the labels of the others."""
    labels: list[str] = []
    for row in _rows(source):
        if not isinstance(row.value, list):
            yield row
        elif labels:
            cells = dict(zip(labels, row.value, strict=False))
            yield JsonValue(cells, row.file, row.line, row.path)
        else:
            labels = [label.name() for label in row.items()]


def _rows(source: Source) -> Iterator[JsonValue]:
    (name,) = source.names
    document = source.document
    if document is None:
        for line, text in source.lines(name):
            yield parse(text, name, line)
    elif isinstance(document.value, list):
        yield from document.items()
    elif "data" in document and "schema" in document:
        yield from document["data"].items()
    elif rows := _only_list(document):
        yield from rows.items()
    elif "data" in document and "columns" in document:
        yield from _of_split(document)
    elif numbers := _row_numbers(document):
        for number in numbers:
            cells = {label: column[number].value for label, column in document.fields(MAX_NAME)}
            yield JsonValue(cells, name, path=(str(number),))
    elif source.label.casefold().endswith(LINES):
        yield document  # the only line


def _of_split(document: JsonValue) -> Iterator[JsonValue]:
    """The rows of `{"columns": […], "index": […], "data": [[…]]}`."""
    labels = [str(label.value) for label in document["columns"].items()]
    for row in document["data"].items():
        cells = [cell.value for cell in row.items()]
        yield JsonValue(dict(zip(labels, cells, strict=False)), row.file, row.line, row.path)


def _only_list(document: JsonValue) -> JsonValue | None:
    """The list of objects in `{"results": [{"model": …}, …]}`, if there is exactly one.

    If the document itself names the participant, or its rows do not, they may be anything.
    """
    fields = document.value.items() if isinstance(document.value, dict) else ()
    if any(word(name) in PARTICIPANT for name, _ in fields):
        return None
    lists = [
        name
        for name, value in fields
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value)
    ]
    if len(lists) != 1 or not any(
        word(name) in PARTICIPANT for name in document.value[lists[0]][0]
    ):
        return None
    return document[lists[0]]


def _row_numbers(document: JsonValue) -> Sequence[str | int]:
    """The numbers of the rows in `{"model": {"0": …}, "acc": {"0": …}}`, or in lists of columns;
    [] for other objects.
    """
    columns = list(document.value.values()) if isinstance(document.value, dict) else []
    if columns and all(isinstance(column, list) for column in columns):
        if not any(word(name) in PARTICIPANT for name in document.value):
            return []
        lengths = {len(column) for column in columns}
        return range(lengths.pop()) if len(lengths) == 1 else []
    numbers = list(columns[0]) if columns and isinstance(columns[0], dict) else []
    if not numbers or numbers != [str(number) for number in range(len(numbers))]:
        return []
    return numbers if all(isinstance(column, dict) for column in columns) else []


def _is_object(part: JsonValue) -> bool:
    return isinstance(part.value, dict) and bool(part.value)


def _has_number(part: JsonValue) -> bool:
    return any(
        type(value) in (int, float, bool)
        or (isinstance(value, str) and number_in(value) is not None)
        for _, value in _fields(part)
    )


def _fields(
    record: JsonValue, before: str = "", depth: int = MAX_DEPTH
) -> Iterator[tuple[str, Any]]:
    for name, part in record.fields(MAX_NAME):
        if isinstance(part.value, dict) and depth > 1:
            yield from _fields(part, f"{before}{name}.", depth - 1)
        else:
            yield f"{before}{name}", part.value


def _text(value: Any) -> str:
    if value is None or isinstance(value, dict | list):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return _number(value) if isinstance(value, int | float) else str(value).strip()


def _number(value: float) -> str:
    try:
        return exact_number(value)
    except (OverflowError, ValueError):  # whole numbers of hundreds of digits, NaN
        return "nan"
