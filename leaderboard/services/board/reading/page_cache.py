"""A cache of board pages in each process: the last pages that it has read.

While a board is unchanged, a cached page needs no SQL statement. After a change, PostgreSQL tells
which rows have changed, and only their lines are read again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from threading import Lock
from typing import Any, Final, NamedTuple

from django.db import connection

from leaderboard.models import Board
from leaderboard.services.board.reading.row_sql import EDITION
from leaderboard.services.board.reading.rows import (
    BoardRow,
    DecodedLine,
    FoundLine,
    find_edited,
    lines_of,
)

MAX_PAGES: Final = 32
MAX_LINES: Final = 110
"""Longer pages are not cached."""

FindLines = Callable[..., Sequence[FoundLine]]
LineEdition = tuple[Any, ...]
"""A version of a standing, see `row_sql.EDITION`."""


class _Page(NamedTuple):
    """The lines of a page at a version of its board. editions: those of the lines, if known."""

    version: int
    lines: Sequence[DecodedLine]
    editions: Sequence[LineEdition]


_pages: OrderedDict[Hashable, _Page] = OrderedDict()
_lock = Lock()


def cached_page(
    board: Board, find: FindLines, *args: Hashable, **way: Hashable
) -> Sequence[DecodedLine]:
    """The lines that `find(*args, **way)` finds for a board, from the cache if it is unchanged.

    Every change of standings raises the version of the board, and every change of names that of the
    challenge, in the same transaction. So the lines are never older than the versions in `board`.
    """
    has_meta = bool(way.get("with_meta"))
    if connection.in_atomic_block:  # What a transaction reads may be rolled back.
        return lines_of(find(*args, **way), has_meta=has_meta)
    key = (board.pk, board.challenge.board_version, find, args, *way.items())
    with _lock:
        former = _pages.get(key)
        if former:
            _pages.move_to_end(key)
    if former and former.version == board.version:
        return former.lines
    if connection.vendor != "postgresql" or has_meta:
        page = _Page(board.version, lines_of(find(*args, **way), has_meta=has_meta), ())
    else:
        page = _read(board.version, former, find, args, way)
    # An empty page is not cached: an order by a column is empty until the column has been sorted,
    # and sorting it changes no version.
    if 0 < len(page.lines) <= MAX_LINES:
        with _lock:
            _pages[key] = page
            if len(_pages) > MAX_PAGES:
                _pages.popitem(last=False)
    return page.lines


def clear_page_cache() -> None:
    """Empty the cache, because another database may use the same ids and versions."""
    with _lock:
        _pages.clear()


def _read(
    version: int,
    former: _Page | None,
    find: FindLines,
    args: Sequence[Any],
    way: Mapping[str, object],
) -> _Page:
    if former:
        page = _read_changes(version, former, find(*args, **way, part="editions"))
        if page:
            return page
    lines = find(*args, **way, part="edited")
    return _Page(version, lines_of(lines, first=EDITION), [line[:EDITION] for line in lines])


def _read_changes(version: int, former: _Page, edition_lines: Sequence[FoundLine]) -> _Page | None:
    """The page with these editions. Lines of the former page are used again if they are unchanged.

    edition_lines: editions, each with its place if the page has places. None if a line has changed
    again since these were read.
    """
    rows = {edition: row for edition, (row, _) in zip(former.editions, former.lines, strict=True)}
    editions = [line[:EDITION] for line in edition_lines]
    if changed := [edition[0] for edition in editions if edition not in rows]:
        rows |= _by_edition(find_edited(changed))
    try:
        lines = [(rows[line[:EDITION]], line[EDITION:]) for line in edition_lines]
    except KeyError:
        return None
    return _Page(version, lines, editions)


def _by_edition(edited: Sequence[FoundLine]) -> dict[LineEdition, BoardRow]:
    lines = lines_of(edited, first=EDITION)
    return {line[:EDITION]: row for line, (row, _) in zip(edited, lines, strict=True)}
