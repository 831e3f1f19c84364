"""Checks the parts of a workbook before openpyxl parses them.

openpyxl holds a whole row and every shared text at once, so both are counted here as the parts are
inflated: 16 million empty cells fit into a file of 200 kB.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.parsers.expat import ExpatError, ParserCreate

from leaderboard.importers.reading.errors import ImportFailed, Unsafe
from leaderboard.importers.reading.source import Source
from leaderboard.rules.texts.messages import message

MAX_SHEET: Final = 128 * 2**20
"""How much a sheet, or all texts of a workbook, may inflate to; it is read as a stream."""
MAX_OTHER: Final = 4 * 2**20
"""How much any other part may inflate to: those are held as trees, twenty times as large."""
MAX_IN_ROW: Final = 16_384
"""How many cells a row has in Excel."""
MAX_CELLS: Final = 5_000_000
MAX_TEXTS: Final = 1_048_576
MAX_DEPTH: Final = 100


class WorkbookParts:
    """Counts of a workbook's parts. uncomputed: formulas that no program has computed."""

    def __init__(self, source: Source) -> None:
        self.uncomputed = 0
        self._source = source

    def names(self) -> list[str]:
        """The parts that hold cells, or say where they are."""
        return [name for name in self._source.names if name.endswith((".xml", ".rels"))]

    def pieces(self, name: str) -> Iterator[bytes]:
        """A part, piece by piece. Raises ImportFailed; Unsafe for one that is too much."""
        has_cells = "/worksheets/" in name and name.endswith(".xml")
        is_long = has_cells or "sharedStrings" in name
        most = MAX_SHEET if is_long else MAX_OTHER
        count = _Count(name) if is_long else None
        size = 0
        for piece in self._source.pieces(name):
            size += len(piece)
            if size > most:
                raise Unsafe(
                    message("must inflate to at most {most} MiB; got more", most=most >> 20),
                    file=name,
                )
            if count:
                self._feed(count, piece)
            yield piece
        self.uncomputed += count.formulas - count.computed if count else 0

    def _feed(self, count: _Count, piece: bytes) -> None:
        try:
            count.feed(piece)
        except ExpatError:
            raise broken(self._source.label) from None


def broken(label: str) -> ImportFailed:
    """The exception for a file that is not a workbook."""
    return ImportFailed(
        message("must be a workbook that can be read; got another file"), file=label
    )


class _Count:
    """Counts the rows, cells, formulas and texts of one part."""

    def __init__(self, name: str) -> None:
        self.formulas = self.computed = 0
        self._name = name
        self._cells = self._in_row = self._texts = self._depth = 0
        self._in_formula = False
        self._parser = ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._doctype

    def feed(self, piece: bytes) -> None:
        """Count the next bytes. Raises ExpatError for invalid XML, Unsafe for too much of it."""
        self._parser.Parse(piece)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._unsafe(
                message("must be nested at most {most} levels deep; got more", most=MAX_DEPTH)
            )
        tag = tag.rpartition(":")[2]
        if tag == "c":
            self._start_cell()
        elif tag == "row":
            self._in_row = 0
        elif tag == "si":
            self._texts += 1
            if self._texts > MAX_TEXTS:
                raise self._unsafe(
                    message("must have at most {most} texts; got more", most=MAX_TEXTS)
                )
        elif tag == "f":
            self.formulas += 1
            self._in_formula = True
        elif tag == "v" and self._in_formula:
            self._parser.CharacterDataHandler = self._value

    def _start_cell(self) -> None:
        self._cells += 1
        self._in_row += 1
        self._in_formula = False
        self._parser.CharacterDataHandler = None
        if self._in_row > MAX_IN_ROW:
            raise self._unsafe(
                message("must have rows of at most {most} cells; got a longer one", most=MAX_IN_ROW)
            )
        if self._cells > MAX_CELLS:
            raise self._unsafe(message("must have at most {most} cells; got more", most=MAX_CELLS))

    def _value(self, text: str) -> None:
        self.computed += 1
        self._in_formula = False
        self._parser.CharacterDataHandler = None

    def _end(self, tag: str) -> None:
        self._depth -= 1

    def _doctype(self, *_: object) -> None:
        raise ExpatError("DOCTYPE")

    def _unsafe(self, message: str) -> Unsafe:
        return Unsafe(message, file=self._name)
