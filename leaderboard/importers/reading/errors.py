"""Why a file is not imported, in texts for the user who uploaded it."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.importers.reading.column_use import ColumnUse
from leaderboard.rules.texts.messages import listed, message

MAX_LEGIBLE = 120


class ImportFailed(ValueError):
    """A file that is not accepted: where it is wrong and what is accepted.

    file: its name within the upload. line: counts from 1 (0: no line). place: a path like
    `traces[0].rewards.exact`. field: the field of the request that is wrong, "" for the file
    itself. `text` holds all of them, `placed` all but the field; both remember what their
    translation needs.

    further: other errors in the same file. is_question: whether the file can be read, and the user
    has to say how. map: the uses of a table's columns, so that the user
    can choose others.
    """

    further: Sequence[ImportFailed] = ()
    map: Sequence[ColumnUse] = ()
    is_question = False

    def __init__(
        self, text: str, *, file: str = "", line: int = 0, place: str = "", field: str = ""
    ) -> None:
        self.message, self.file, self.line, self.place = text, file, line, place
        self.field = field
        where = [legible(file), message("line {line}", line=line) if line else "", place]
        before = listed(part for part in where if part)
        self.placed = located(before, text)
        self.text = located(before, located(field, text))
        super().__init__(self.text)


class Unsafe(ImportFailed):
    """The upload as a whole is refused: too large, or not safe to open. Never only a warning."""


def not_utf8(file: str, line: int = 0) -> ImportFailed:
    return ImportFailed(message("must be UTF-8; got another encoding"), file=file, line=line)


def not_csv(error: Exception, file: str, line: int) -> ImportFailed:
    problem = message("must be CSV; got a syntax error: {error}", error=error)
    return ImportFailed(problem, file=file, line=line)


def wrong_width(columns: int, cells: int, file: str, line: int) -> ImportFailed:
    """The exception for a row with another number of cells than the header."""
    problem = message(
        "must have {columns} cells, as many as the header; got {cells}",
        columns=columns,
        cells=cells,
    )
    return ImportFailed(problem, file=file, line=line)


def located(place: str, text: str) -> str:
    """A text with the place that it is about before it; the text alone if the place is ""."""
    return message("{place}: {text}", place=place, text=text) if place else text


def problem_of(error: Exception) -> str:
    """The text of an exception; a Message stays one, which `str(error)` would forget."""
    first = error.args[0] if error.args else ""
    return first if isinstance(first, str) else str(error)


def legible(text: str) -> str:
    """A text from a file for a message: shortened, and without invisible characters."""
    printable = "".join(character if character.isprintable() else "?" for character in text)
    return printable if len(printable) <= MAX_LEGIBLE else f"{printable[: MAX_LEGIBLE - 1]}…"
