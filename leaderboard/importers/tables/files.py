"""The table in an upload: in a text, in a workbook, as JSON, or in an archive of one of them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing
from itertools import chain, islice
from typing import Final, NamedTuple

from leaderboard.importers.reading.errors import ImportFailed, legible
from leaderboard.importers.reading.source import Source
from leaderboard.importers.tables.cells import Decimal
from leaderboard.importers.tables.grid import looks_like_a_table
from leaderboard.importers.tables.markdown import holds_tables, only_table
from leaderboard.importers.tables.reading import some
from leaderboard.importers.tables.records import check_size, holds_records, record_rows
from leaderboard.importers.tables.sheets import is_workbook, sheet_rows
from leaderboard.importers.tables.texts import MAX_PEEKED, DecodedText, TableRow, rows_of, text_of
from leaderboard.rules.texts.messages import message

PATTERNS: Final = ("*.csv", "*.tsv", "*.txt", "*.xlsx", "*.md")
MARKDOWN: Final = (".md", ".markdown")
MAX_LINES: Final = 20_000
"""How many lines of a Markdown text are searched for the first table."""
_ZIP: Final = b"PK\x03\x04"


class TableFile(NamedTuple):
    """The rows of a table. notes: sentences for the preview. decimal: the separator of all numbers
    where the format says it. is_headed: whether the first row is the header by the format.
    """

    file: str
    rows: Iterator[TableRow]
    notes: list[str]
    decimal: Decimal = ""
    is_headed: bool = False


def holds_table(source: Source) -> bool:
    """A workbook, a .csv or .tsv, rows as JSON, or a text with a header and a number below it."""
    try:
        if is_workbook(source) or holds_records(source):
            return True
        names = _names(source)
        if len(names) > 1:
            # Several tables and nothing else are refused by their number.
            return names == list(source.names) and all(map(_is_called_a_table, names))
        if not names:
            return False
        if _is_packed(source, names[0]):
            with _unpacked(source, names[0]) as inner:
                return is_workbook(inner)
        with closing(source.pieces(names[0])) as pieces:
            if next(pieces, b"").lstrip()[:1] in (b"{", b"["):
                return False
        return _is_called_a_table(source.label) or looks_like_a_table(
            _text_rows(source, names[0]).rows
        )
    except ImportFailed:
        # Several tables in one text are a table that is refused.
        return source.label.casefold().endswith((".csv", ".tsv", ".txt", *MARKDOWN))


def table_in(source: Source) -> TableFile:
    """The table in an upload. Raises ImportFailed if there is none, or several."""
    if is_workbook(source):
        notes, rows = sheet_rows(source)
        return TableFile(source.label, rows, notes, ".")
    check_size(source)
    if holds_records(source):
        notes, records = record_rows(source)
        return TableFile(source.names[0], records, notes, ".", is_headed=True)
    names = _names(source)
    if len(names) != 1:
        raise ImportFailed(
            message("must hold one table; got {count}", count=len(names)), file=source.label
        )
    table = _packed(source, names[0]) or _text_rows(source, names[0])
    further = [name for name in source.names if name != names[0]]
    if further:
        left_out = some([legible(name) for name in further])
        table.notes.append(message("other files in it are left out: {files}", files=left_out))
    return table


def _names(source: Source) -> list[str]:
    return source.named(*PATTERNS)


def _is_called_a_table(name: str) -> bool:
    """Whether a file says so; the reader then reports what is missing in it."""
    return name.casefold().endswith((".csv", ".tsv"))


def _is_packed(source: Source, name: str) -> bool:
    return next(iter(source.pieces(name)), b"").startswith(_ZIP)


def _unpacked(source: Source, name: str) -> Source:
    """A workbook in an archive."""
    return Source.open(io.BytesIO(source.read(name)), name)


def _packed(source: Source, name: str) -> TableFile | None:
    """The table of a workbook in an archive, which is in memory afterwards; None for a text."""
    if not _is_packed(source, name):
        return None
    with _unpacked(source, name) as inner:
        if not is_workbook(inner):
            raise ImportFailed(
                message("must be a text or an Excel workbook; got another file"), file=name
            )
        notes, rows = sheet_rows(inner)
    return TableFile(name, rows, notes, ".")


def _text_rows(source: Source, name: str) -> TableFile:
    """The table in a text; one in Markdown may stand anywhere in it."""
    text = text_of(source, name)
    notes: list[str] = (
        [message("its text is read as {encoding}", encoding=text.encoding)] if text.encoding else []
    )
    is_markdown = name.casefold().endswith(MARKDOWN)
    try:
        peeked = list(islice(text.lines, MAX_LINES if is_markdown else MAX_PEEKED))
        lines = chain(peeked, text.lines)
        if holds_tables(peeked):
            return TableFile(name, iter(only_table(lines, name)), notes)
    except UnicodeError:
        raise ImportFailed(
            message("must be a text in a known encoding; got another"), file=name
        ) from None
    return TableFile(name, rows_of(DecodedText(lines, text.encoding), name), notes)
