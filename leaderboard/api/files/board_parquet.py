"""The whole board as Parquet: the columns of its CSV, with types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import Final

from leaderboard.api.files.board_table import (
    CELL,
    RANKS,
    FileColumns,
    cell_parts,
    level_in,
    rank_ends,
)
from leaderboard.api.files.boards import OVER, attempt_in, public_rank_of, stored_facts, value_in
from leaderboard.api.files.parquet_fields import (
    DAY,
    MOMENT,
    NO_FACTS,
    NUMBER,
    TEXT,
    TRUTH,
    WHOLE,
    FileField,
)
from leaderboard.columns import Column
from leaderboard.rules.visibility.meta_values import MetaField, typed
from leaderboard.services.board.reading.reported_columns import Unlisted
from leaderboard.services.board.reading.row_filter import EVERY_ROW, RowsAsked
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.organisers.marks import RowMarks
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import VisibleCertainty

META_TYPES: Final = {"number": NUMBER, "boolean": TRUTH, "date": DAY}
"""The types of fields of meta; the others are texts."""


def parquet(
    board: VisibleBoard,
    columns: Sequence[Column],
    unlisted: Unlisted | None = None,
    *,
    asked: RowsAsked = EVERY_ROW,
    meta: Sequence[MetaField] = (),
) -> Iterator[bytes]:
    """The rows that are asked for, in pieces of a file. Undefined values are null.

    Numbers are doubles or 64 bit integers, times are in UTC. The metadata of a column has its
    label, its unit and its better end.
    """
    from leaderboard.api.files.parquet_file import parquet_file

    table = FileColumns.of(board, columns, unlisted, meta, asked)
    rows = iter(board.every_row(asked))
    yield from parquet_file(table.names, list(_fields(table)), rows, _about(board))


def _about(board: VisibleBoard) -> Mapping[str, str]:
    """The metadata of the file: which board it holds."""
    metadata = {
        "challenge": board.challenge.slug,
        "phase": board.board.phase.slug,
        "scoring_version": str(board.challenge.shown.number),
    }
    return {f"podium.{name}": text for name, text in metadata.items()}


def _fields(table: FileColumns) -> Iterator[FileField]:
    """The columns of the file, in the order of `FileColumns.names`."""
    yield FileField(WHOLE, lambda row: row.rank)
    yield FileField(TEXT, lambda row: row.participant.handle)
    yield FileField(TEXT, lambda row: row.participant.slug)
    yield FileField(TEXT, lambda row: row.participant.shown_name)
    yield FileField(TEXT, lambda row: row.participant.kind)
    yield from map(_value, table.columns)
    yield FileField(WHOLE, lambda row: row.attempts)
    yield FileField(MOMENT, lambda row: row.reached_at)
    yield FileField(TEXT, attempt_in)
    yield FileField(TEXT, lambda row: row.unranked or None)
    for column in table.measured:
        yield from _parts(column)
    for column in table.with_level:
        yield FileField(TEXT, partial(level_in, column=column))
    if certain := table.certain:
        for at in range(len(RANKS)):
            yield FileField(WHOLE, partial(_rank_end, certain=certain, at=at))
    if table.public.are_kept:
        yield FileField(WHOLE, lambda row: public_rank_of(row, table.public))
    yield from (FileField(TEXT, of) for _name, of in table.stated)
    if table.marks:
        yield from _verified(table.marks)
    if table.late.are_there:
        yield FileField(TRUTH, table.late.has)
    yield from (FileField(TEXT, of) for _name, of in table.classes)
    if table.ranks_here:
        yield FileField(WHOLE, lambda row: row.here)
    yield from map(_meta, table.meta)


def _value(column: Column) -> FileField:
    facts = {"label": column.label, "unit": column.unit, "direction": column.direction}
    field_facts = {name: text for name, text in facts.items() if text}
    if column.key == "submitted_at":
        return FileField(MOMENT, lambda row: row.reached_at, field_facts)
    return FileField(NUMBER, lambda row: value_in(row, column), field_facts)


def _parts(column: Column) -> Iterator[FileField]:
    facts = {"unit": column.unit} if column.unit else NO_FACTS
    for at, part in enumerate(CELL):
        kind, part_facts = (WHOLE, NO_FACTS) if part in OVER else (NUMBER, facts)
        yield FileField(kind, partial(_part, column.key, at), part_facts)


def _part(key: str, at: int, row: BoardRow) -> float | None:
    return cell_parts(stored_facts(row, key))[at]


def _rank_end(row: BoardRow, certain: VisibleCertainty, at: int) -> int | None:
    return rank_ends(row, certain)[at]


def _verified(marks: RowMarks) -> Iterator[FileField]:
    def verified_part(row: BoardRow, name: str) -> str | datetime | None:
        verification = marks.verified(row)
        return getattr(verification, name) or None if verification else None

    for name, kind in (("name", TEXT), ("at", MOMENT), ("link", TEXT)):
        yield FileField(kind, partial(verified_part, name=name))


def _meta(field: MetaField) -> FileField:
    kind = META_TYPES.get(field.type, TEXT)
    facts = {"label": field.label, "unit": field.unit}

    def value(row: BoardRow) -> str | float | bool | date | None:
        text = row.meta.get(field.name)
        return text if text is None or kind == TEXT else typed(field.type, text)

    return FileField(kind, value, {name: text for name, text in facts.items() if text})
