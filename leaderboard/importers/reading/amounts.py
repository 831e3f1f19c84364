"""How many attempts one file may hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import Final, TypeVar

from leaderboard.importers.reading.errors import Unsafe
from leaderboard.importers.reading.source import Source
from leaderboard.rules.texts.messages import message

_BETWEEN_ROWS: Final = (b"},{", b"}, {", b"],[", b"], [")

T = TypeVar("T")

MAX_ATTEMPTS: Final = 100_000
_BYTES_OF_ROW: Final = 400
"""The least bytes of a row of a file whose rows are not lines, such as a workbook."""


def at_most(attempts: Iterable[T], file: str) -> Iterator[T]:
    """The attempts of a file, as they are read. Raises Unsafe with the first one too many."""
    for number, attempt in enumerate(attempts, 1):
        if number > MAX_ATTEMPTS:
            raise too_many(file)
        yield attempt


def check_amount(attempts: Sequence[object], file: str) -> None:
    """Raise Unsafe for more attempts than a file may hold."""
    if len(attempts) > MAX_ATTEMPTS:
        raise too_many(file)


def too_many(file: str) -> Unsafe:
    text = message("must hold at most {most} attempts, so split it; got more", most=MAX_ATTEMPTS)
    return Unsafe(text, file=file)


def rows_in(source: Source, *, most: int) -> int:
    """About how many rows the files of a source have: their lines, or in a JSON list the objects
    and lists that follow each other on one line.

    Reads no more than it needs to know that there are more than `most`. Raises ImportFailed.
    """
    count = 0
    for name in source.names:
        of_workbook = name.endswith(".xml")
        with closing(source.pieces(name)) as pieces:
            is_list: bool | None = None
            for piece in pieces:
                is_list = piece.lstrip()[:1] == b"[" if is_list is None else is_list
                count += len(piece) // _BYTES_OF_ROW if of_workbook else _rows_in(piece, is_list)
                if count > most:
                    return count
    return count


def _rows_in(piece: bytes, is_list: bool) -> int:
    between = _BETWEEN_ROWS if is_list else ()
    return max(piece.count(ending) for ending in (b"\n", *between))
