"""CSV and TSV: texts in UTF-8 whose cells are separated by commas, tabs, semicolons or bars."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from leaderboard.predictions.headers import checked_header
from leaderboard.predictions.problems import MAX_PROBLEMS, BadTable, Problem, Problems
from leaderboard.rules.texts.messages import Message, message

if TYPE_CHECKING:
    import pyarrow as pa

DELIMITERS: Final = (",", "\t", ";", "|")
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PIECE: Final = 1 << 20
_Arrays = dict[str, "pa.Array"]
_Lines = NDArray[np.int64]


def delimited_table(
    content: bytes, wanted: Sequence[str] | None
) -> tuple[_Arrays, _Lines, list[str], Problems, str]:
    """The fields of a `Table`. Raises BadTable."""
    _check_encoding(content)
    start = len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0
    end = content.find(b"\n", start) + 1 or len(content)
    delimiter, header = _header(content[start:end].decode().rstrip("\r\n"), wanted)
    columns, warnings = checked_header(header, wanted)
    read, ragged = _read(
        memoryview(content)[end:], delimiter, header, columns, is_quoted=b'"' in content
    )
    lines = _lines(read.num_rows, [row.number for row in ragged])
    arrays, lines = _without_blank_lines(read, columns, lines)
    problems = Problems()
    problems.add(
        [
            Problem(row.number + 1, ragged_line(len(header), row.actual_columns))
            for row in ragged[:MAX_PROBLEMS]
        ],
        len(ragged),
    )
    return arrays, lines, warnings, problems, "," if delimiter == ";" else "."


def ragged_line(expected: int, count: int) -> Message:
    """The problem of a line that has another number of cells than the header."""
    return message("must have {expected} cells; got {count}", expected=expected, count=count)


def _check_encoding(content: bytes) -> None:
    """Raises BadTable unless the content is UTF-8."""
    if content.startswith(_UTF16) or b"\0" in content[:1000]:
        raise BadTable.because(
            message("the file must be UTF-8; got another encoding, such as UTF-16")
        )
    if content.isascii():
        return
    decoder, done = codecs.getincrementaldecoder("utf-8")(), 0
    try:
        for done in range(0, len(content), _PIECE):
            decoder.decode(content[done : done + _PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, done + error.start) + 1
        raise BadTable.because(
            message("the file must be UTF-8; got another encoding"), line
        ) from None


def _header(line: str, wanted: Sequence[str] | None) -> tuple[str, list[str]]:
    """The delimiter that finds most of the wanted columns, or else most columns, and the names."""
    headers = {
        by: [cell.strip() for cell in next(csv.reader([line], delimiter=by), [])]
        for by in DELIMITERS
    }

    def fit(by: str) -> tuple[int, int]:
        names = headers[by]
        return sum(name in names for name in wanted or ()), len(names)

    delimiter = max(DELIMITERS, key=fit)
    return delimiter, headers[delimiter]


def _read(
    content: memoryview,
    delimiter: str,
    header: Sequence[str],
    columns: Mapping[str, int],
    *,
    is_quoted: bool,
) -> tuple[pa.Table, list[Any]]:
    """The table, whose columns are named by position, and the rows of another length."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    ragged: list[Any] = []

    def skip(row: Any) -> str:
        ragged.append(row if len(ragged) < MAX_PROBLEMS else row._replace(text=""))
        return "skip"

    names = [str(at) for at in range(len(header))]
    kept = [str(at) for at in columns.values()]
    if not bytes(content[:_PIECE]).strip():
        return pa.table({name: pa.array([], pa.string()) for name in kept}), ragged
    try:
        read = arrow.read_csv(
            pa.BufferReader(content),
            read_options=arrow.ReadOptions(use_threads=False, column_names=names),
            parse_options=arrow.ParseOptions(
                delimiter=delimiter,
                ignore_empty_lines=False,
                invalid_row_handler=skip,
                newlines_in_values=is_quoted,
            ),
            convert_options=arrow.ConvertOptions(
                include_columns=kept,
                strings_can_be_null=False,
                column_types=dict.fromkeys(kept, pa.string()),
            ),
        )
    except pa.ArrowException as error:
        text = message("the file must be CSV; got a syntax error: {error}", error=str(error)[:200])
        raise BadTable.because(text) from None
    return read, ragged


def _lines(rows: int, skipped: Sequence[int]) -> _Lines:
    """The line of each row that was read. skipped: the numbers of the others, from 1."""
    lines = np.arange(1, rows + len(skipped) + 1, dtype=np.int64)
    return np.delete(lines, np.asarray(skipped, np.int64) - 1) + 1


def _without_blank_lines(
    read: pa.Table, columns: Mapping[str, int], lines: _Lines
) -> tuple[_Arrays, _Lines]:
    import pyarrow.compute as pc

    arrays = {name: read.column(str(at)).combine_chunks() for name, at in columns.items()}
    filled: Any = None
    for array in arrays.values():
        has_text = pc.not_equal(array, "")
        filled = has_text if filled is None else pc.or_(filled, has_text)
    if filled is None or pc.all(filled).as_py() is not False:
        return arrays, lines
    kept = filled.to_numpy(zero_copy_only=False)
    return {name: array.filter(filled) for name, array in arrays.items()}, lines[kept]
