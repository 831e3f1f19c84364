"""Lines of the pages that a process read last, which it keeps for the next reader.

While the board is unchanged, the page needs no statement. After a change, the process reads which
rows have changed, and only the lines of these.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, Final, NamedTuple

from django.db import connection

from leaderboard.models import Board
from leaderboard.services.board.row_sql import EDITION, WIDTH
from leaderboard.services.board.rows import Found, read_edited

MOST_PAGES: Final = 32
MOST_LINES: Final = 110
"""A longer page is not kept."""

Read = Callable[..., Sequence[Found]]


class _Page(NamedTuple):
    """The lines of a page at a version of its board; known: those without places, by edition."""

    version: int
    lines: Sequence[Found]
    known: Mapping[Found, Found]


_pages: OrderedDict[Hashable, _Page] = OrderedDict()
_lock = Lock()


def kept(board: Board, read: Read, *args: Hashable, **way: Hashable) -> Sequence[Found]:
    """The lines that `read` reads for a board: those that were read last time, if it is unchanged.

    Every change of standings raises the version of the board, and every change of names that of the
    challenge, in the same transaction. So the lines are those of the versions that the request has
    read, or newer ones. Nothing is kept inside a transaction, which may be rolled back, and no
    empty page: an order by a column is empty until the column is sorted, which changes no version.
    """
    if connection.in_atomic_block:
        return read(*args, **way)
    key = (board.pk, board.challenge.board_version, read, args, *way.items())
    with _lock:
        former = _pages.get(key)
        if former:
            _pages.move_to_end(key)
    if former and former.version == board.version:
        return former.lines
    page = _read(board.version, former, read, args, way)
    if 0 < len(page.lines) <= MOST_LINES:
        with _lock:
            _pages[key] = page
            if len(_pages) > MOST_PAGES:
                _pages.popitem(last=False)
    return page.lines


def forget_lines() -> None:
    """Empty the cache: another database may use the same ids and versions."""
    with _lock:
        _pages.clear()


def _read(
    version: int,
    former: _Page | None,
    read: Read,
    args: Sequence[Any],
    way: Mapping[str, Any],
) -> _Page:
    if connection.vendor != "postgresql" or way.get("with_meta"):
        return _Page(version, read(*args, **way), {})
    page = _read_changes(version, former, read(*args, **way, part="editions")) if former else None
    if page:
        return page
    found = read(*args, **way, part="edited")
    return _Page(version, [line[EDITION:] for line in found], _by_edition(found))


def _read_changes(version: int, former: _Page, found: Sequence[Found]) -> _Page | None:
    """The page of these editions, which may have their places: as far as possible of former lines.

    None if a line has changed again meanwhile.
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


def _by_edition(edited: Iterable[Found]) -> dict[Found, Found]:
    return {line[:EDITION]: line[EDITION : EDITION + WIDTH] for line in edited}
