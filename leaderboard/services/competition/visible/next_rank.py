"""How far a row of a board is from the rank above it."""

from __future__ import annotations

from typing import NamedTuple

from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.board import VisibleBoard


class Gap(NamedTuple):
    """The distance of a row from another one with another rank.

    other: the last row of the rank above, or for a row at rank 1 the first one below. key: of the
    first ranked value in which both differ. difference: by how much, at least 0; None if the
    earlier one of two equal rows ranks first.
    """

    other: BoardRow
    key: str
    difference: float | None


def gap_of(board: VisibleBoard, row: BoardRow) -> Gap | None:
    """The distance to the next better rank, or of the first row to the next one.

    None if the row has no rank, if there is no other rank, or if the reader may not know exact
    values of others.
    """
    if row.rank is None or not (board.is_whole and board.view.is_exact):
        return None
    neighbours = (
        board.page_from(row.rank - 2, limit=1).rows
        if row.rank > 1
        else board.page_from(0, limit=2).rows[1:]
    )
    other = next(iter(neighbours), None)
    if other is None or other.rank is None or other.rank == row.rank:
        return None
    for key in board.board.config.ranking.keys:
        if key.key == "submitted_at":
            break
        mine, theirs = row.values.get(key.key), other.values.get(key.key)
        if mine is None or theirs is None:
            return None
        if round(mine, key.decimals) != round(theirs, key.decimals):
            return Gap(other, key.key, abs(theirs - mine))
    return Gap(other, "submitted_at", None)
