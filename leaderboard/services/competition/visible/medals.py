"""The medals of a board, once its phase has closed."""

from __future__ import annotations

from django.utils import timezone

from leaderboard.rules.ranking.medals import Medal, medal_of
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.board import VisibleBoard


class RowMedals:
    """The medals of the rows of a board, by their ranks among all of its rows.

    There are none before the phase has closed, nor while the board is frozen for the reader.
    """

    def __init__(self, board: VisibleBoard) -> None:
        closes_at = board.board.phase.closes_at
        has_closed = closes_at is not None and closes_at <= timezone.now()
        is_final = has_closed and board.is_whole and board.frozen_since is None
        self._scheme = board.challenge.medals if is_final else "none"
        totals = board.totals() if self.are_there else None
        self._ranked = totals.ranked if totals else 0

    @property
    def are_there(self) -> bool:
        return self._scheme != "none"

    def of(self, row: BoardRow) -> Medal | None:
        return medal_of(row.rank, self._ranked, self._scheme) if row.rank is not None else None
