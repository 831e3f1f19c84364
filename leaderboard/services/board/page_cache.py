"""A cache of board pages in each process: the last pages that it has read.

While a board is unchanged, a cached page needs no SQL statement. After a change, PostgreSQL tells
which rows have changed, and only their lines are read again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, Final, NamedTuple

from django.db import connection

from leaderboard.models import Board
from leaderboard.services.board.row_sql import EDITION, WIDTH
from leaderboard.services.board.rows import FoundLine, read_edited

MAX_PAGES: Final = 32
MAX_LINES: Final = 110
"""Longer pages are not cached."""

ReadLines = Callable[..., Sequence[FoundLine]]


class _Page(NamedTuple):
    """The lines of a page at a version of its board. known: the lines without places, by edition.

    An edition is a version of a row, see `row_sql.EDITION`.
    """

    version: int
    lines: Sequence[FoundLine]
    known: Mapping[FoundLine, FoundLine]


_pages: OrderedDict[Hashable, _Page] = OrderedDict()
_lock = Lock()


def cached_page(
    board: Board, read: ReadLines, *args: Hashable, **way: Hashable
) -> Sequence[FoundLine]:
    """The lines that `read(*args, **way)` returns for a board, from the cache if it is unchanged.

    Every change of standings raises the version of the board, and every change of names that of the
    challenge, in the same transaction. So the lines are never older than the versions in `board`.
    """
    if connection.in_atomic_block:  # What a transaction reads may be rolled back.
        return read(*args, **way)
    key = (board.pk, board.challenge.board_version, read, args, *way.items())
    with _lock:
        former = _pages.get(key)
        if former:
            _pages.move_to_end(key)
    if former and former.version == board.version:
        return former.lines
    page = _read(board.version, former, read, args, way)
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
    read: ReadLines,
    args: Sequence[Any],
    way: Mapping[str, object],
) -> _Page:
    if connection.vendor != "postgresql" or way.get("with_meta"):
        return _Page(version, read(*args, **way), {})
    page = _read_changes(version, former, read(*args, **way, part="editions")) if former else None
    if page:
        return page
    found = read(*args, **way, part="edited")
    return _Page(version, [line[EDITION:] for line in found], _by_edition(found))


def _read_changes(version: int, former: _Page, found: Sequence[FoundLine]) -> _Page | None:
    """The page with these editions. Lines of the former page are used again if they are unchanged.

    found: editions, each with its place if the page has places. None if a line has changed again
    since `found` was read.
    """
    has_places = bool(found) and len(found[0]) > EDITION
    editions = [each[:EDITION] for each in found] if has_places else found
    known = former.known
    if changed := [edition[0] for edition in editions if edition not in known]:
        known = {**known, **_by_edition(read_edited(changed))}
    try:
        lines = [known[edition] for edition in editions]
    except KeyError:
        return None
    known = dict(zip(editions, lines, strict=True))
    if has_places:
        lines = [line + each[EDITION:] for line, each in zip(lines, found, strict=True)]
    return _Page(version, lines, known)


def _by_edition(edited: Iterable[FoundLine]) -> dict[FoundLine, FoundLine]:
    return {line[:EDITION]: line[EDITION : EDITION + WIDTH] for line in edited}
