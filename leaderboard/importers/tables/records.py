"""Rows of a table as JSON: a list of objects, an object a line, or what pandas writes as JSON.

The name of each field is the label of a column. An object in a row gives a column for each of its
fields, `scores.mmlu`; lists are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from leaderboard.importers.reading.errors import ImportFailed, shown
from leaderboard.importers.reading.json_place import MAX_NAME, Part, parse
from leaderboard.importers.reading.source import Source
from leaderboard.importers.tables.cells import exact_number
from leaderboard.importers.tables.texts import TableRow
from leaderboard.rules.texts.messages import listed, message

LINES: Final = (".jsonl", ".ndjson")
MAX_DEPTH: Final = 3
PEEKED: Final = 20


def holds_records(source: Source) -> bool:
    """Whether a file is JSON with rows that are objects, with numbers in them."""
    if not source.single:
        return False
    first = list(islice(_first_records(source), PEEKED))
    return bool(first) and all(map(_is_object, first)) and any(map(_has_number, first))


def record_rows(source: Source) -> tuple[list[str], list[TableRow]]:
    """Sentences for the preview, and the rows, the first of which is the header.

    Raises ImportFailed for a row that is no object.
    """
    columns: dict[str, int] = {}
    lists: dict[str, None] = {}
    rows: list[tuple[int, dict[int, str]]] = []
    for number, record in enumerate(_records(source), 1):
        cells = {}
        for label, value in _fields(record):
            if isinstance(value, list):
                lists.setdefault(label)
            else:
                cells[columns.setdefault(label, len(columns))] = _text(value)
        rows.append((record.line or number, cells))
    notes: list[str] = []
    if lists:
        told = listed([shown(each) for each in lists])
        notes.append(message("left out, as there are lists in it: {columns}", columns=told))
    places = range(len(columns))
    table = [(line, [cells.get(at, "") for at in places]) for line, cells in rows]
    return notes, [(1, list(columns)), *table]


def _first_records(source: Source) -> Iterator[Part]:
    try:
        if source.document is not None:
            yield from _records(source)
        else:
            yield from source.rows
    except ImportFailed:
        return


def _records(source: Source) -> Iterator[Part]:
    """Each row as an object."""
    (name,) = source.names
    document = source.document
    if document is None:
        for line, text in source.lines(name):
            yield parse(text, name, line)
    elif isinstance(document.value, list):
        yield from document.items()
    elif "data" in document and "schema" in document:
        yield from document["data"].items()
    elif "data" in document and "columns" in document:
        yield from _of_split(document)
    elif numbers := _row_numbers(document):
        for number in numbers:
            cells = {label: column[number].value for label, column in document.fields(MAX_NAME)}
            yield Part(cells, name, path=(number,))
    elif source.label.casefold().endswith(LINES):
        yield document  # the only line


def _of_split(document: Part) -> Iterator[Part]:
    """The rows of `{"columns": […], "index": […], "data": [[…]]}`."""
    labels = [str(each.value) for each in document["columns"].items()]
    for row in document["data"].items():
        cells = [cell.value for cell in row.items()]
        yield Part(dict(zip(labels, cells, strict=False)), row.file, row.line, row.path)


def _row_numbers(document: Part) -> list[str]:
    """The numbers of the rows in `{"model": {"0": …}, "acc": {"0": …}}`; [] for other objects."""
    columns = list(document.value.values()) if isinstance(document.value, dict) else []
    numbers = list(columns[0]) if columns and isinstance(columns[0], dict) else []
    if not numbers or numbers != [str(each) for each in range(len(numbers))]:
        return []
    return numbers if all(isinstance(column, dict) for column in columns) else []


def _is_object(part: Part) -> bool:
    return isinstance(part.value, dict) and bool(part.value)


def _has_number(part: Part) -> bool:
    return any(type(value) in (int, float, bool) for _, value in _fields(part))


def _fields(record: Part, before: str = "", depth: int = MAX_DEPTH) -> Iterator[tuple[str, Any]]:
    for name, part in record.fields(MAX_NAME):
        if isinstance(part.value, dict) and depth > 1:
            yield from _fields(part, f"{before}{name}.", depth - 1)
        else:
            yield f"{before}{name}", part.value


def _text(value: Any) -> str:
    if value is None or isinstance(value, dict):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return _number(value) if isinstance(value, int | float) else str(value).strip()


def _number(value: float) -> str:
    try:
        return exact_number(value)
    except (OverflowError, ValueError):  # whole numbers of hundreds of digits, NaN
        return "nan"
