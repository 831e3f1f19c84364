"""Builds and deletes a sorted column in pieces, so that other writers do not wait long.

Each piece is a transaction of its own, followed by a pause in which others write. The column's row
stores the progress, so that another worker can continue after a kill.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from django.db import connection

from leaderboard.models import Challenge, SortedColumn
from leaderboard.models.prepared import fetch
from leaderboard.services.board.standings import sorted_values
from leaderboard.services.transactions import retried

FIRST_ROWS = 1000
SECONDS_PER_PIECE = 0.15
"""How long others wait for a piece, about. Shorter pieces would write the same pages repeatedly."""
LEAST_PAUSE: Final = {"postgresql": 0.03, "sqlite": 0.12}
"""The shortest pause in seconds. PostgreSQL wakes those who wait for a lock, in their order; on
SQLite they try again every tenth of a second."""
PAUSE_PER_PIECE: Final = {"postgresql": 1 / 3, "sqlite": 1.0}
"""The pause as a part of the time of the piece before."""
SHORT = 0.01
"""The longest last piece, in seconds, that needs no pause after it."""
_EVERYBODY = 2**63 - 1

_STANDING_AT = """
    SELECT participant_id FROM leaderboard_standing
    WHERE board_id = %s AND participant_id > %s ORDER BY participant_id LIMIT 1 OFFSET %s"""
_VALUE_AT = """
    SELECT participant_id FROM leaderboard_sortedvalue
    WHERE column_id = %s AND participant_id > %s ORDER BY participant_id LIMIT 1 OFFSET %s"""


class ColumnPiece(NamedTuple):
    """The result of one transaction.

    It says whether the work is complete, and when the transaction began to make others wait, in
    seconds of the monotonic clock.
    """

    is_last: bool
    began: float


class Pace:
    """The number of rows of the next piece, and the time limit of the work.

    seconds: the limit, from now; without it, the work is completed.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self.rows = FIRST_ROWS
        self._until = time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self._until

    def goes_through(self, work: Callable[[int], ColumnPiece]) -> bool:
        """Run pieces of work until it is complete or time is over; returns whether it is complete.

        work: runs one transaction for the given number of rows.
        """
        while not self.is_over:
            rows = self.rows
            piece = retried(partial(work, rows))
            held = time.monotonic() - piece.began
            if not piece.is_last:
                self.rows = rows_after(rows, held)
            if held > SHORT or not piece.is_last:
                pause(pause_after(held))
            if piece.is_last:
                return True
        return False


def rows_after(rows: int, held: float) -> int:
    """The size of the next piece, if one of `rows` rows held its locks for `held` seconds."""
    fitting = rows * SECONDS_PER_PIECE / max(held, 0.001)
    return int(min(max(fitting, rows / 4, 1), rows * 2))


def pause_after(held: float) -> float:
    """The seconds that others get, after a piece that held its locks for `held` seconds."""
    vendor = connection.vendor
    return max(held * PAUSE_PER_PIECE[vendor], LEAST_PAUSE[vendor])


def pause(seconds: float) -> None:
    time.sleep(seconds)


def begin(board_id: int, key: str) -> None:
    """Begin a column: from now on, every writer of the board writes its values, too.

    The caller holds the lock of the board.
    """
    SortedColumn.objects.active().get_or_create(board_id=board_id, key=key)


def build(board_id: int, key: str, pace: Pace) -> bool:
    """Add the values of a column that was begun; returns whether it is ready now."""
    column = SortedColumn.objects.active().filter(board=board_id, key=key).first()
    if column is None or not pace.goes_through(partial(_add, column.pk)):
        return False
    return SortedColumn.objects.ready().filter(pk=column.pk).exists()


def clear(pace: Pace) -> int:
    """Delete the dropped columns of all boards; returns how many were deleted completely."""
    dropped = SortedColumn.objects.filter(state=SortedColumn.State.DROPPED)
    return sum(
        pace.goes_through(partial(_remove, pk)) for pk in dropped.values_list("pk", flat=True)
    )


def _add(column_id: int, rows: int) -> ColumnPiece:
    """Add the next values of a column, under the lock of the board.

    Without the lock, the value of a standing that is withdrawn at the same time would remain.
    """
    board = Challenge.objects.filter(configs__boards__sorted_columns=column_id)
    for challenge in board.values_list("pk", flat=True):
        Challenge.objects.lock_boards(challenge)
    began = time.monotonic()
    building = SortedColumn.objects.filter(state=SortedColumn.State.BUILDING)
    column = building.filter(pk=column_id).first()
    if column is None:
        return ColumnPiece(True, began)
    last_standing = fetch(_STANDING_AT, [column.board_id, column.done_to, rows - 1])
    to = last_standing[0][0] if last_standing else _EVERYBODY
    sorted_values.add(column.board_id, column_id, column.done_to, to)
    column.done_to = to
    if not last_standing:
        column.state = SortedColumn.State.READY
    column.save(update_fields=["done_to", "state"])
    return ColumnPiece(not last_standing, began)


def _remove(column_id: int, rows: int) -> ColumnPiece:
    """Delete the next values of a dropped column, which only other deleting workers access."""
    dropped = SortedColumn.objects.filter(pk=column_id, state=SortedColumn.State.DROPPED)
    column = dropped.select_for_update().first()
    began = time.monotonic()
    if column is None:
        return ColumnPiece(True, began)
    last_value = fetch(_VALUE_AT, [column_id, column.done_to, rows - 1])
    to = last_value[0][0] if last_value else _EVERYBODY
    sorted_values.remove(column_id, column.done_to, to)
    if last_value:
        dropped.update(done_to=to)
    else:
        column.delete()
    return ColumnPiece(not last_value, began)
