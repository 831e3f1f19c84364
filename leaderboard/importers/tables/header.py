"""The header of a table: which of its first rows it is, and the labels in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, legible
from leaderboard.importers.tables.cells import kind_of, number_in, printable
from leaderboard.importers.tables.known_labels import KNOWN, word
from leaderboard.importers.tables.markup import plain
from leaderboard.importers.tables.texts import TableRow
from leaderboard.rules.texts.messages import listed, message

MAX_LABEL: Final = 255
MAX_TOLD: Final = 3
_PANDAS_BLANK: Final = re.compile(r"Unnamed: \d+(_level_\d+)?")

FirstRows = Sequence[TableRow]
HeaderCells = Sequence[str]


@dataclass(frozen=True)
class Header:
    """The rows of a header. first, last: their places among the rows of the table, from 0.

    labels: of the columns, not yet distinct. notes: sentences for the preview.
    """

    first: int
    last: int
    labels: Sequence[str]
    notes: tuple[str, ...] = ()


def header_of(rows: FirstRows) -> Header | None:
    """The header among the first rows of a table; None if there is none.

    Raises ImportFailed if the first row can only be data, so that the table has no header.
    """
    at = _header_at(rows)
    if at is None:
        return None
    numeric = _numeric_columns(rows[at + 1 :])
    header = _joined(rows, at, numeric)
    if header.last > header.first:
        return header
    notes = _like_data(rows[at], rows[at + 1 :], numeric)
    return Header(at, at, header.labels, notes)


def known_header(rows: FirstRows) -> Header | None:
    """The first row as the header, of a table whose format says that it is."""
    return Header(0, 0, [_label(cell) for cell in rows[0][1]]) if len(rows) > 1 else None


def distinct_labels(labels: Sequence[str]) -> list[str]:
    """Each label once: `Score`, `Score (2)`; without a text, `column 3`."""
    taken: dict[str, None] = {}
    for number, wanted in enumerate(labels, 1):
        label = wanted or f"column {number}"
        free, count = label, 1
        while free in taken:
            count += 1
            free = f"{label} ({count})"
        taken[free] = None
    return list(taken)


def _label(cell: str) -> str:
    return printable(plain(cell.lstrip("\ufeff")))[:MAX_LABEL].strip()


def _header_at(rows: FirstRows) -> int | None:
    """The first row that is half as full as the fullest one and begins with a text, or with an
    empty cell above the names.

    Titles fill one cell, and groups of columns a few.
    """
    full = [sum(bool(cell.strip()) for cell in cells) for _, cells in rows]
    needed = max(2, max(full, default=0) / 2)
    for at, (_, cells) in enumerate(rows[:-1]):
        if full[at] >= needed and _begins_with_text(cells):
            return at
        if full[at] + 1 >= needed and _is_above_names(rows, at, is_short=full[at] < needed):
            return at
    return None


def _begins_with_text(cells: HeaderCells) -> bool:
    first = next((cell for cell in cells if cell.strip()), "")
    has_text = any(kind_of(cell.strip()) == "text" for cell in cells)
    return has_text and kind_of(first.strip()) != "number"


def _is_above_names(rows: FirstRows, at: int, *, is_short: bool) -> bool:
    """Whether only the first cell is empty, and the row below begins with a text, as pandas writes
    columns that are called by numbers. is_short: a single label, which is no title above numbers.
    """
    cells, below = rows[at][1], rows[at + 1][1]
    is_full = not cells[0].strip() and all(cell.strip() for cell in cells[1:])
    has_number = any(kind_of(cell.strip()) == "number" for cell in below[1:])
    return is_full and kind_of(below[0].strip()) == "text" and (has_number or not is_short)


def _numeric_columns(rows: FirstRows) -> list[int]:
    """The columns behind the first one that hold a number, and at least as many as texts."""
    width = max((len(cells) for _, cells in rows), default=0)
    kinds = [
        [kind_of(cells[at].strip()) for _, cells in rows if at < len(cells)] for at in range(width)
    ]
    return [
        at for at in range(1, width) if kinds[at].count("number") >= max(1, kinds[at].count("text"))
    ]


def _joined(rows: FirstRows, at: int, numeric: Sequence[int]) -> Header:
    """The header that begins or ends at a row, with the rows above or below that belong to it.

    pandas writes such headers for columns with two levels, and Excel for groups of columns.
    """
    first = last = at
    while last + 2 < len(rows) and _goes_on(rows, first, last + 1, numeric):
        last += 1
    while first > 0 and _is_ambiguous(rows[first : last + 1], numeric):
        if not _is_of_labels(rows[first - 1][1], numeric):
            break
        first -= 1
    labels = _labels(rows[first : last + 1])
    if last == first:
        return Header(first, last, labels)
    if last + 2 < len(rows) and _is_name_of_index(rows[last + 1][1]):
        last += 1
        labels = [_label(rows[last][1][0]), *labels[1:]]
    names = [repr(legible(label)) for label in labels[1 : MAX_TOLD + 1]]
    more = ["…"] if len(labels) > MAX_TOLD + 1 else []
    note = message(
        "its header has several rows, whose labels are joined: {labels}",
        labels=listed([*names, *more]),
    )
    return Header(first, last, labels, (note,))


def _goes_on(rows: FirstRows, first: int, at: int, numeric: Sequence[int]) -> bool:
    """Whether a row below a header is a part of it: labels stand where the others have numbers."""
    cells = rows[at][1]
    if _tells_apart(rows[first:at], cells, numeric) or _is_of_units(cells):
        return True
    if not _is_of_labels(cells, numeric, least=2):
        return False
    if _is_ambiguous(rows[first:at], numeric):
        return True
    if not cells[0].strip():
        return True
    texts = {_label(cells[column]) for column in numeric if column < len(cells)}
    return len(texts) > 1 and _is_name_of_index(rows[at + 1][1])


def _tells_apart(above: FirstRows, cells: HeaderCells, numeric: Sequence[int]) -> bool:
    """Whether a row without a name tells labels apart that are the same: `2023`, `2024`."""
    if not _is_ambiguous(above, numeric) or not all(_at(cells, at).strip() for at in numeric):
        return False
    is_unnamed = not cells[0].strip() or _label(cells[0]) == _label(_at(above[-1][1], 0))
    return is_unnamed and not _is_ambiguous([*above, (0, list(cells))], numeric)


def _is_of_units(cells: HeaderCells) -> bool:
    """Whether each cell is empty or stands in brackets, as units below labels do: `(s)`."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    return len(filled) > 1 and all(re.fullmatch(r"\(\D+\)|\[\D+\]", cell) for cell in filled)


def _is_of_labels(cells: HeaderCells, numeric: Sequence[int], *, least: int = 1) -> bool:
    """Whether a row has no number, and texts in half of the columns of numbers, at least some."""
    kinds = [kind_of(cell.strip()) for cell in cells]
    if any(kind in ("number", "switch", "date") for kind in kinds):
        return False
    texts = sum(at < len(kinds) and kinds[at] == "text" for at in numeric)
    return texts >= least and (least == 1 or texts * 2 >= len(numeric))


def _is_ambiguous(rows: FirstRows, numeric: Sequence[int]) -> bool:
    """Whether two columns of numbers have the same label, or one has none."""
    labels = _labels(rows)
    own = [labels[at] if at < len(labels) else "" for at in numeric]
    return len(own) > 1 and (len(set(own)) < len(own) or "" in own)


def _is_name_of_index(cells: HeaderCells) -> bool:
    """Whether a row has only its first cell, as pandas writes the name of an index."""
    return len(cells) > 1 and bool(cells[0].strip()) and not any(map(str.strip, cells[1:]))


def _labels(rows: FirstRows) -> list[str]:
    """The labels of each column in all rows, joined; a group's label counts until the next one."""
    width = max(len(cells) for _, cells in rows)
    levels = [_level([*cells, *[""] * (width - len(cells))]) for _, cells in rows]
    upper = [list(_filled(level)) for level in levels[:-1]]
    joined_labels = []
    for at in range(width):
        own = [level[at] for level in levels]
        parts = [level[at] for level in upper] if own[-1] else own[:-1]
        parts = [part for part in dict.fromkeys([*parts, own[-1]]) if part]
        joined_labels.append(" ".join(parts[-1:] if at == 0 else parts)[:MAX_LABEL].strip())
    return joined_labels


def _level(cells: HeaderCells) -> list[str]:
    return [
        _PANDAS_BLANK.sub("", _label(cell)) if at else _label(cell) for at, cell in enumerate(cells)
    ]


def _filled(labels: Sequence[str]) -> Iterator[str]:
    """Labels of groups, each repeated until the next one; not that of the first column."""
    last = ""
    for at, label in enumerate(labels):
        last = label or last
        yield label if at == 0 else last
        last = last if at else ""


def _like_data(header: TableRow, rows: FirstRows, numeric: Sequence[int]) -> tuple[str, ...]:
    """The warning that a header looks like a row of data. Raises ImportFailed if it must be one.

    It is data if each column of numbers has a number as its label, unless it begins with a word
    for participants. Such labels may be years or sizes; but no label is a number with decimals,
    stands twice, or stands below it as well.
    """
    cells = [cell.strip() for cell in header[1]]
    if not numeric or any(kind_of(_at(cells, at)) != "number" for at in numeric):
        return ()
    if not cells[0] or any(word(cell) in KNOWN for cell in cells):
        return ()
    texts = listed([repr(legible(cell)) for cell in cells[:MAX_TOLD]])
    if _must_be_data(cells, rows, numeric):
        raise ImportFailed(
            message(
                "must begin with a header; got a first row that looks like data: {cells} (if it is "
                "the header, call its first column model)",
                cells=texts,
            ),
            line=header[0],
        )
    return (
        message("the first row looks like data, and is taken for the header: {cells}", cells=texts),
    )


def _must_be_data(cells: HeaderCells, rows: FirstRows, numeric: Sequence[int]) -> bool:
    numbers = [number_in(_at(cells, at)) for at in numeric]
    if any(number and (number.unit or not number.body.isdigit()) for number in numbers):
        return True
    if len({_at(cells, at) for at in numeric}) < len(numeric):
        return True
    texts = [at for at, cell in enumerate(cells) if kind_of(cell) == "text"]
    return any(_at(row, at).strip() == cells[at] for _, row in rows for at in texts)


def _at(cells: HeaderCells, at: int) -> str:
    return cells[at] if at < len(cells) else ""
