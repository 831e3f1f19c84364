"""Excel sheets (`.xlsx`) as rows of text.

The archive is read by our own reader first, which counts what it inflates to, so that openpyxl
never meets a bomb; it then reads the sheet as a stream.
"""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Generator, Iterator
from contextlib import closing
from datetime import date, datetime, time
from typing import Any, Final
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from leaderboard.importers.errors import ImportFailed, Unsafe
from leaderboard.importers.source import Source
from leaderboard.importers.tables.texts import TableRow

WORKBOOK: Final = "xl/workbook.xml"
MAX_SHEET: Final = 128 * 2**20
"""How much a sheet, or all texts of a workbook, may inflate to; it is read as a stream."""
MAX_OTHER: Final = 4 * 2**20
"""How much any other part may inflate to: those are held as trees, twenty times as large."""
MAX_ROWS: Final = 1_048_576
MAX_COLUMNS: Final = 1_000
MAX_BLANK: Final = 1_000
"""So many blank rows one after another are the end of a sheet."""

_BROKEN = (
    InvalidFileException,
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
"""What openpyxl raises for a workbook that is none."""


def is_workbook(source: Source) -> bool:
    """Whether the files of a source are those within an `.xlsx`."""
    return WORKBOOK in source


def sheet_rows(source: Source) -> tuple[list[str], Iterator[TableRow]]:
    """What to tell of a workbook, and the rows of its first sheet that has two of them.

    Raises ImportFailed; Unsafe for one that inflates to too much.
    """
    workbook = _opened(source)
    names = [sheet.title for sheet in workbook.worksheets if sheet.sheet_state == "visible"]
    for name in names:
        with closing(_rows(workbook[name], source.label)) as rows:
            if next(rows, None) and next(rows, None):
                notes = [f"the sheet {name!r} is read, the first of {len(names)} with a table"]
                return notes if len(names) > 1 else [], _rows(workbook[name], source.label)
    raise ImportFailed("holds no sheet with a table", file=source.label)


def _opened(source: Source) -> Any:
    checked = _checked(source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return load_workbook(checked, read_only=True, data_only=True, keep_links=False)
    except ImportFailed:
        raise
    except _BROKEN:
        raise ImportFailed("is no workbook that can be read", file=source.label) from None


def _checked(source: Source) -> io.BytesIO:
    """The workbook's parts that hold cells, in an archive again; each counted while inflated."""
    again = io.BytesIO()
    with zipfile.ZipFile(again, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in source.names:
            if not name.endswith((".xml", ".rels")):
                continue
            most = MAX_SHEET if "/worksheets/" in name or "sharedStrings" in name else MAX_OTHER
            size = 0
            with archive.open(name, "w", force_zip64=True) as part:
                for piece in source.pieces(name):
                    size += len(piece)
                    if size > most:
                        raise Unsafe(f"inflates to more than {most >> 20} MiB", file=name)
                    part.write(piece)
    again.seek(0)
    return again


def _rows(sheet: Any, label: str) -> Generator[TableRow]:
    """The rows of a sheet that have a cell with something in it."""
    blank = 0
    try:
        sheet.reset_dimensions()
        for number, cells in enumerate(sheet.iter_rows(max_col=MAX_COLUMNS, max_row=MAX_ROWS), 1):
            row = [_text(each) for each in cells]
            while row and not row[-1]:
                row.pop()
            blank = 0 if row else blank + 1
            if blank > MAX_BLANK:
                return
            if row:
                yield number, row
    except ImportFailed:
        raise
    except _BROKEN:
        raise ImportFailed("is no workbook that can be read", file=label) from None


def _text(cell: Any) -> str:
    """A cell as somebody would type it, with a point as decimal separator."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value, str(getattr(cell, "number_format", "") or ""))
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value).strip()


def _number(value: float, form: str) -> str:
    """`0.712` under the format `0.0%` is 71.2%."""
    if "%" in form.split(";")[0]:
        return f"{_exact(round(value * 100, 12))}%"
    return _exact(value)


def _exact(value: float) -> str:
    """A number that no one takes for one with thousands separators."""
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    text = repr(float(value))
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction}0" if len(fraction) == 3 else text
