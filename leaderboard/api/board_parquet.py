"""The whole board as Parquet: the columns of its CSV, with types.

`pyarrow` is optional and is imported when the first board is written: that takes 0.4 s and 55 MB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple

from leaderboard.api.board_table import CELL, FileColumns, cell_parts, level_in
from leaderboard.api.boards import OVER, attempt_in, public_rank_of, stored_facts, value_in
from leaderboard.columns import Column
from leaderboard.rules.meta_values import MetaField, typed
from leaderboard.services.board.reported import Unlisted
from leaderboard.services.board.row_filter import EVERY_ROW, RowsAsked
from leaderboard.services.board.rows import Row
from leaderboard.services.competition.marks import RowMarks
from leaderboard.services.competition.seen_board import SeenBoard

ROWS_PER_GROUP: Final = 10_000
"""The rows of a row group: as many are in memory at a time."""
NO_FACTS: Final[Mapping[str, str]] = {}

TEXT, WHOLE, NUMBER, TRUTH = "string", "int64", "double", "bool"
DAY, MOMENT = "date32[day]", "timestamp[us, tz=UTC]"
META_TYPES: Final = {"number": NUMBER, "boolean": TRUTH, "date": DAY}
"""The types of fields of meta; the others are texts."""


class _Field(NamedTuple):
    """A column of the file: its type, its value in a row, and what is said of it."""

    type: str
    take: Callable[[Row], Any]
    facts: Mapping[str, str] = NO_FACTS


class _Pieces:
    """A file that keeps only what has been written since it was last asked for."""

    closed = False

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._length = 0

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self._waiting.append(piece)
        self._length += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._length

    def flush(self) -> None:
        """Nothing is buffered elsewhere."""

    def taken(self) -> bytes:
        found = b"".join(self._waiting)
        self._waiting.clear()
        return found


def parquet(
    board: SeenBoard,
    columns: Sequence[Column],
    unlisted: Unlisted | None = None,
    *,
    asked: RowsAsked = EVERY_ROW,
    meta: Sequence[MetaField] = (),
) -> Iterator[bytes]:
    """The rows that are asked for, a row group at a time. Undefined values are null.

    Numbers are doubles or 64 bit integers, times are in UTC. The metadata of a column has its
    label, its unit and its better end.
    """
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    table = FileColumns.of(board, columns, unlisted, meta)
    fields = list(_fields(table))
    types = [_arrow_type(pa, field.type) for field in fields]
    schema = pa.schema(
        [
            pa.field(name, kind, metadata=dict(field.facts) or None)
            for name, kind, field in zip(table.names, types, fields, strict=True)
        ],
        metadata=_about(board),
    )
    sink, rows = _Pieces(), iter(board.every_row(asked))
    with ParquetWriter(sink, schema, compression="zstd") as writer:
        while group := list(islice(rows, ROWS_PER_GROUP)):
            arrays = [
                pa.array([field.take(row) for row in group], type=kind)
                for field, kind in zip(fields, types, strict=True)
            ]
            writer.write_batch(pa.record_batch(arrays, schema=schema))
            yield sink.taken()
    yield sink.taken()


def _about(board: SeenBoard) -> Mapping[str, str]:
    """The metadata of the file: which board it holds."""
    said = {
        "challenge": board.challenge.slug,
        "phase": board.board.phase.slug,
        "scoring_version": str(board.challenge.shown.number),
    }
    return {f"podium.{name}": text for name, text in said.items()}


def _arrow_type(pa: Any, name: str) -> Any:
    return pa.timestamp("us", tz="UTC") if name == MOMENT else pa.type_for_alias(name)


def _fields(table: FileColumns) -> Iterator[_Field]:
    """The columns of the file, in the order of `FileColumns.names`."""
    yield _Field(WHOLE, lambda row: row.rank)
    yield _Field(TEXT, lambda row: row.participant.handle)
    yield _Field(TEXT, lambda row: row.participant.slug)
    yield _Field(TEXT, lambda row: row.participant.shown_name)
    yield _Field(TEXT, lambda row: row.participant.kind)
    yield from map(_value, table.columns)
    yield _Field(WHOLE, lambda row: row.attempts)
    yield _Field(MOMENT, lambda row: row.reached_at)
    yield _Field(TEXT, attempt_in)
    yield _Field(TEXT, lambda row: row.unranked or None)
    for column in table.measured:
        yield from _parts(column)
    for column in table.told:
        yield _Field(TEXT, partial(level_in, column=column))
    if table.public.are_kept:
        yield _Field(WHOLE, lambda row: public_rank_of(row, table.public))
    if table.marks:
        yield from _verified(table.marks)
    yield from map(_meta, table.meta)


def _value(column: Column) -> _Field:
    facts = {"label": column.label, "unit": column.unit, "direction": column.direction}
    said = {name: text for name, text in facts.items() if text}
    if column.key == "submitted_at":
        return _Field(MOMENT, lambda row: row.reached_at, said)
    return _Field(NUMBER, lambda row: value_in(row, column), said)


def _parts(column: Column) -> Iterator[_Field]:
    facts = {"unit": column.unit} if column.unit else NO_FACTS
    for at, part in enumerate(CELL):
        kind, said = (WHOLE, NO_FACTS) if part in OVER else (NUMBER, facts)
        yield _Field(kind, partial(_part, column.key, at), said)


def _part(key: str, at: int, row: Row) -> float | None:
    return cell_parts(stored_facts(row, key))[at]


def _verified(marks: RowMarks) -> Iterator[_Field]:
    def told(row: Row, name: str) -> str | datetime | None:
        found = marks.verified(row)
        return getattr(found, name) or None if found else None

    for name, kind in (("name", TEXT), ("at", MOMENT), ("link", TEXT)):
        yield _Field(kind, partial(told, name=name))


def _meta(field: MetaField) -> _Field:
    kind = META_TYPES.get(field.type, TEXT)
    facts = {"label": field.label, "unit": field.unit}

    def value(row: Row) -> str | float | bool | date | None:
        text = row.meta.get(field.name)
        return text if text is None or kind == TEXT else typed(field.type, text)

    return _Field(kind, value, {name: text for name, text in facts.items() if text})
