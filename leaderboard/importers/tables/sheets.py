"""Excel sheets (`.xlsx`) as rows of text.

The archive is read by our own reader first, which counts what is in it (`workbook_parts`), so that
openpyxl never meets a bomb; it then reads the sheet as a stream.
"""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Generator, Iterator
from contextlib import closing
from datetime import date, datetime, time
from itertools import islice
from typing import Any, Final
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException

from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.source import Source
from leaderboard.importers.tables.cells import exact_number
from leaderboard.importers.tables.grid import MAX_ABOVE
from leaderboard.importers.tables.texts import TableRow
from leaderboard.importers.tables.workbook_parts import WorkbookParts, broken
from leaderboard.rules.texts.messages import counted, message

WORKBOOK: Final = "xl/workbook.xml"
MAX_ROWS: Final = 1_048_576
MAX_COLUMNS: Final = 1_000
MAX_BLANK: Final = 1_000
"""This many consecutive blank rows end a sheet."""
MAX_FILLED_UP: Final = 20_000_000
"""The most cells in all rows, each filled to the width of the table."""

_BROKEN = (
    DefusedXmlException,
    ParseError,
    zipfile.BadZipFile,
    AttributeError,
    IndexError,
    KeyError,
    OSError,
    TypeError,
    ValueError,
)
"""What openpyxl raises for a file that is not a workbook."""


def is_workbook(source: Source) -> bool:
    """Whether the files of a source are those within an `.xlsx`."""
    return WORKBOOK in source


def sheet_rows(source: Source) -> tuple[list[str], Iterator[TableRow]]:
    """The warnings about a workbook, and the rows of its first sheet with at least two.

    Each row is as wide as the widest of the first ones. Raises ImportFailed; Unsafe for one that
    inflates to too much.
    """
    parts = WorkbookParts(source)
    workbook = _opened(parts, source.label)
    names = [sheet.title for sheet in workbook.worksheets if sheet.sheet_state == "visible"]
    for name in names:
        with closing(_rows(workbook[name], source.label, MAX_COLUMNS)) as rows:
            first = [cells for _, cells in islice(rows, MAX_ABOVE)]
        if len(first) > 1:
            notes = [*_sheet_notes(name, len(names), parts.uncomputed)]
            return notes, _rows(workbook[name], source.label, max(map(len, first)), fill=True)
    raise ImportFailed(
        message("must contain a sheet with a table; got a workbook without any"), file=source.label
    )


def _sheet_notes(name: str, sheets: int, uncomputed: int) -> Iterator[str]:
    if sheets > 1:
        yield message(
            "the sheet {name!r} is read, the first of {sheets} with a table",
            name=name,
            sheets=sheets,
        )
    if uncomputed:
        yield counted(
            "{count} formula has no value yet; open the workbook in a spreadsheet program and "
            "save it",
            "{count} formulas have no value yet; open the workbook in a spreadsheet program and "
            "save it",
            uncomputed,
        )


def _opened(parts: WorkbookParts, label: str) -> Any:
    from openpyxl import load_workbook  # takes long to import, and only workbooks need it

    checked = _checked(parts)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return load_workbook(checked, read_only=True, data_only=True, keep_links=False)
    except _BROKEN:
        raise broken(label) from None


def _checked(parts: WorkbookParts) -> io.BytesIO:
    """The workbook's parts with cells, in a new archive; counted while they are inflated."""
    again = io.BytesIO()
    with zipfile.ZipFile(again, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in parts.names():
            with archive.open(name, "w", force_zip64=True) as part:
                for piece in parts.pieces(name):
                    part.write(piece)
    again.seek(0)
    return again


def _rows(sheet: Any, label: str, width: int, *, fill: bool = False) -> Generator[TableRow]:
    """The rows of a sheet that have a cell with something in it.

    width: how many cells of a row are read; one more is read, to notice wider rows. openpyxl fills
    rows up to this width, which took nine tenths of the time at 1000. fill: whether to fill rows to
    the width.
    """
    blank = filled_up = 0
    try:
        sheet.reset_dimensions()
        for number, cells in enumerate(sheet.iter_rows(max_col=width + 1, max_row=MAX_ROWS), 1):
            row = [_text(cell) for cell in cells]
            filled_up += len(row)
            while row and not row[-1]:
                row.pop()
            blank = 0 if row else blank + 1
            if blank > MAX_BLANK:
                return
            if filled_up > MAX_FILLED_UP:
                raise ImportFailed(
                    message(
                        "must have at most {most} cells, empty ones too; got more",
                        most=MAX_FILLED_UP,
                    ),
                    file=label,
                )
            if row:
                yield number, [*row, *[""] * (width - len(row))] if fill else row
    except ImportFailed:
        raise
    except _BROKEN:
        raise broken(label) from None


def _text(cell: Any) -> str:
    """A cell as a person would type it, with a point as decimal separator."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value, str(getattr(cell, "number_format", "") or ""))
    if isinstance(value, datetime):
        return value.isoformat().removesuffix("T00:00:00")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value).strip()


def _number(value: float, form: str) -> str:
    """`0.712` under the format `0.0%` is 71.2%."""
    if "%" in form.split(";")[0]:
        return f"{exact_number(round(value * 100, 12))}%"
    return exact_number(value)
