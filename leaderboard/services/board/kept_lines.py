"""Lines of the pages that were read last, which a process keeps for the version of their board."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from threading import Lock
from typing import Final, ParamSpec

from django.db import connection

from leaderboard.models import Board
from leaderboard.services.board.rows import Found

MOST_PAGES: Final = 32
MOST_LINES: Final = 110
"""A longer page is not kept."""

P = ParamSpec("P")

_pages: OrderedDict[Hashable, Sequence[Found]] = OrderedDict()
_lock = Lock()


def kept(
    board: Board, read: Callable[P, Sequence[Found]], *args: P.args, **way: P.kwargs
) -> Sequence[Found]:
    """The lines that `read` reads for a board: those that were read last time, if it is unchanged.

    Every change of standings raises the version of the board, and every change of names that of the
    challenge, in the same transaction. So the lines are those of the versions that the request has
    read, or newer ones. Nothing is kept inside a transaction, which may be rolled back, and no
    empty page: an order by a column is empty until the column is sorted, which changes no version.
    """
    if connection.in_atomic_block:
        return read(*args, **way)
    key = (board.pk, board.version, board.challenge.board_version, read, args, *way.items())
    with _lock:
        if key in _pages:
            _pages.move_to_end(key)
            return _pages[key]
    found = read(*args, **way)
    if 0 < len(found) <= MOST_LINES:
        with _lock:
            _pages[key] = found
            if len(_pages) > MOST_PAGES:
                _pages.popitem(last=False)
    return found


def forget_lines() -> None:
    """Empty the cache: another database may use the same ids and versions."""
    with _lock:
        _pages.clear()
