"""What the pictures of a board's rows are drawn from, as far as a reader may know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.models import BoardCertainty
from leaderboard.rules.ranking.board_summaries import (
    Activity,
    BoardSummary,
    Quartiles,
    Solved,
    Strips,
)
from leaderboard.rules.visibility.view import Extent
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.board import VisibleBoard


@dataclass(frozen=True, slots=True)
class VisibleSummary:
    """The summary of a board whose rows, attempts and exact values a reader sees.

    strips: may be of an earlier version of the board, because samples of an attempt never change.
    Everything else is of the present version.
    """

    strips: Strips | None = None
    courses: Mapping[int, Sequence[int]] | None = None
    quartiles: Mapping[str, Quartiles] | None = None
    activity: Activity | None = None

    def solved(self, row: BoardRow) -> Solved | None:
        """The tasks of a row; None if it has none, or if its attempt is hidden."""
        if self.strips is None or row.attempt_id is None:
            return None
        return self.strips.solved.get(row.attempt_id.hex)

    def course(self, row: BoardRow) -> Sequence[int]:
        """The values of a row's participant over time, see `BoardSummary`."""
        return (self.courses or {}).get(row.participant.pk, ())


def summary_in(board: VisibleBoard, certainty: BoardCertainty | None) -> VisibleSummary:
    """The summary that is stored with the certainty of a board; empty if it is hidden.

    certainty: the `stored_certainty` of the board.
    """
    view = board.view
    may_know = min(view.board, view.scores, view.attempts) is Extent.ALL and view.is_exact
    if certainty is None or not may_know:
        return VisibleSummary()
    stored: BoardSummary = certainty.read_summary()
    if certainty.version != board.board.version:
        return VisibleSummary(stored.strips)
    return VisibleSummary(stored.strips, stored.courses, stored.quartiles, stored.activity)
