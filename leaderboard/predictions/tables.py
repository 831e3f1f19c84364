"""Tables in files: CSV and TSV, Excel and Parquet, also compressed with gzip.

Cells are texts as they are in the file: the id 001 stays 001, and NA and None are words. Only
Parquet has numbers, which stay numbers.

pyarrow reads them: the csv module takes nine times as long, and pandas twice as long; pandas also
reads 001 as 1 and `NA` as nothing.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.source import Source
from leaderboard.importers.tables.sheets import is_workbook, sheet_rows
from leaderboard.predictions.delimited import delimited_table, ragged_line
from leaderboard.predictions.headers import checked_header
from leaderboard.predictions.problems import MAX_PROBLEMS, BadTable, Problem, Problems
from leaderboard.rules.texts.messages import message

if TYPE_CHECKING:
    import pyarrow as pa

MAX_BYTES: Final = 512 << 20
"""The most bytes of a table after it has been inflated."""
FORMATS: Final = message("CSV, TSV, Excel (.xlsx) or Parquet, also compressed with gzip")
_GZIP, _PARQUET, _ZIP = b"\x1f\x8b", b"PAR1", b"PK\x03\x04"


@dataclass
class Table:
    """The columns of a table, all equally long.

    columns: arrays of pyarrow by name, of texts or (in Parquet) of numbers. lines: the line of each
    row in the file, counted from 1 with the header. warnings: what was left out. problems: ragged
    lines, whose rows are left out. decimal: what separates decimals.
    """

    columns: dict[str, pa.Array]
    lines: NDArray[np.int64]
    warnings: list[str] = field(default_factory=list)
    problems: Problems = field(default_factory=Problems)
    decimal: str = "."

    @property
    def rows(self) -> int:
        return int(self.lines.size)


def read_table(content: bytes, wanted: Sequence[str] | None = None) -> Table:
    """The table in a file. wanted: the columns that it must have, and the only ones to read.

    Raises BadTable.
    """
    content = _inflated(content)
    if not content.strip():
        raise BadTable.because(message("the file is empty"))
    if content.startswith(_PARQUET):
        return _parquet(content, wanted)
    if content.startswith(_ZIP):
        return _workbook(content, wanted)
    return Table(*delimited_table(content, wanted))


def _inflated(content: bytes) -> bytes:
    """The content, inflated if it is gzip, which may consist of several members."""
    pieces, size = [], 0
    while content.startswith(_GZIP):
        inflating = zlib.decompressobj(wbits=31)
        try:
            piece = inflating.decompress(content, MAX_BYTES - size + 1)
        except zlib.error:
            raise BadTable.because(
                message("the file must be complete gzip; got a damaged one")
            ) from None
        size += len(piece)
        if size > MAX_BYTES:
            most = message(
                "the file must inflate to at most {most} MiB; got more", most=MAX_BYTES >> 20
            )
            raise BadTable.because(most)
        if not inflating.eof:
            raise BadTable.because(message("the file must be complete gzip; got a damaged one"))
        pieces.append(piece)
        content = inflating.unused_data
    return b"".join(pieces) if pieces else content


def _parquet(content: bytes, wanted: Sequence[str] | None) -> Table:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(pa.BufferReader(content))
        names = file.schema_arrow.names
        columns, warnings = checked_header(names, wanted)
        read = file.read(columns=[names[at] for at in columns.values()], use_threads=False)
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, BadTable):
            raise
        raise BadTable.because(message("the file must be Parquet; got a damaged one")) from None
    plain = {
        name: _plain(read.column(names[at]).combine_chunks(), name) for name, at in columns.items()
    }
    return Table(plain, np.arange(2, read.num_rows + 2), warnings)


def _plain(column: pa.Array, name: str) -> pa.Array:
    """A column of texts or of 64-bit floats; whole numbers and truth values become texts."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return column.cast(pa.float64())
    if not (
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_boolean(kind)
    ):
        text = message(
            "the column {name} must hold numbers or texts; got {kind}", name=name, kind=kind
        )
        raise BadTable.because(text)
    return column.cast(pa.string()).fill_null("")


def _workbook(content: bytes, wanted: Sequence[str] | None) -> Table:
    import pyarrow as pa

    try:
        with Source.open(content, "workbook.xlsx") as source:
            if not is_workbook(source):
                text = message("the file must be {formats}; got an archive", formats=FORMATS)
                raise BadTable.because(text)
            notes, rows = sheet_rows(source)
            header = [cell.strip() for cell in next(rows)[1]]
            columns, warnings = checked_header(header, wanted)
            cells = list(rows)
    except ImportFailed as error:
        raise BadTable.because(error.message) from None
    ragged = [(line, len(row)) for line, row in cells if len(row) > len(header)]
    arrays = {
        name: pa.array([row[at] for _, row in cells if len(row) <= len(header)], pa.string())
        for name, at in columns.items()
    }
    lines = np.array([line for line, row in cells if len(row) <= len(header)], np.int64)
    table = Table(arrays, lines, [*notes, *warnings])
    first = [
        Problem(line, ragged_line(len(header), count)) for line, count in ragged[:MAX_PROBLEMS]
    ]
    table.problems.add(first, len(ragged))
    return table
