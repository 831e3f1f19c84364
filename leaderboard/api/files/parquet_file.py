"""A Parquet file of columns and rows. Imported with the first one: `arro3` takes 9 MB.

arro3 needs 33 MB on disk, pyarrow 170 MB. All values are doubles, so that a column has the same
type on every board. The writer needs a file, so the first byte is sent when the whole file is
written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import Any, Final

from arro3.core import Array, DataType, Field, RecordBatch, RecordBatchReader, Schema
from arro3.io import write_parquet

from leaderboard.api.files.parquet_fields import DAY, MOMENT, NUMBER, TEXT, TRUTH, WHOLE, FileField
from leaderboard.services.board.reading.rows import BoardRow

ROWS_PER_GROUP: Final = 10_000
"""The rows of a row group, which is in memory while it is encoded."""
ROWS_PER_BATCH: Final = 1_000
"""As many rows are in memory as objects of Python."""
IN_MEMORY: Final = 1 << 20
"""Bytes of a file that need no temporary file."""
PIECE: Final = 1 << 18

TYPES: Final = {
    TEXT: DataType.string(),
    WHOLE: DataType.int64(),
    NUMBER: DataType.float64(),
    TRUTH: DataType.bool(),
    DAY: DataType.date32(),
    MOMENT: DataType.timestamp("us", tz="UTC"),
}
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_DAY: Final = EPOCH.date()
MICROSECOND: Final = timedelta(microseconds=1)


def parquet_file(
    names: Sequence[str],
    fields: Sequence[FileField],
    rows: Iterator[BoardRow],
    about: Mapping[str, str],
) -> Iterator[bytes]:
    """The file in pieces. about: its metadata."""
    schema = Schema(
        [
            Field(name, TYPES[field.type], metadata=dict(field.facts) or None)
            for name, field in zip(names, fields, strict=True)
        ],
        metadata=dict(about),
    )
    # The writer takes rows as they are read, but returns only when the file is complete.
    with SpooledTemporaryFile(IN_MEMORY) as file:
        write_parquet(
            RecordBatchReader.from_batches(schema, _batches(fields, rows, schema)),
            file,
            compression="zstd(1)",
            max_row_group_size=ROWS_PER_GROUP,
            key_value_metadata=dict(about),
        )
        file.seek(0)
        yield from iter(partial(file.read, PIECE), b"")


def _batches(
    fields: Sequence[FileField], rows: Iterator[BoardRow], schema: Schema
) -> Iterator[RecordBatch]:
    while some := list(islice(rows, ROWS_PER_BATCH)):
        arrays = [_array([field.take(row) for row in some], field.type) for field in fields]
        yield RecordBatch.from_arrays(arrays, schema=schema)


def _array(values: Sequence[Any], kind: str) -> Array:
    """Values of a type. `arro3` takes days and moments as whole numbers."""
    if kind == DAY:
        return Array([_days(value) for value in values], DataType.int32()).cast(TYPES[kind])
    if kind == MOMENT:
        return Array([_microseconds(value) for value in values], TYPES[WHOLE]).cast(TYPES[kind])
    return Array(values, TYPES[kind])


def _days(day: date | None) -> int | None:
    return None if day is None else (day - FIRST_DAY).days


def _microseconds(moment: datetime | None) -> int | None:
    return None if moment is None else (moment - EPOCH) // MICROSECOND
