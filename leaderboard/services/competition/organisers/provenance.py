"""Where the value of a row comes from, and who has looked at it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from uuid import UUID

from leaderboard.columns import Column
from leaderboard.models import Decision
from leaderboard.services.board.reading.ranking import columns_of
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.organisers.marks import RowMarks
from leaderboard.services.competition.visible.board import VisibleBoard


class RowProvenance:
    """Whether the value that a board ranks by was `computed` here or `reported` by the participant,
    and whether somebody has `verified` the attempt or `reviewed` it, or it is `unreviewed`.

    rows: those that are asked about; None: any. Reviews are read only where the challenge has them.
    """

    def __init__(
        self, board: VisibleBoard, marks: RowMarks, rows: Sequence[BoardRow] | None = None
    ) -> None:
        self._board, self._marks, self._rows = board, marks, rows

    def of(self, row: BoardRow) -> str | None:
        """`computed verified`; None for a row without the value, or whose attempt is hidden."""
        column = self._column
        if row.attempt_id is None or column is None:
            return None
        if column.key != "submitted_at" and row.values.get(column.key) is None:
            return None
        cell = row.cells.get(column.key)
        level = cell.get("level", column.level) if cell else column.level
        if self._marks.verified(row):
            return f"{level} verified"
        return f"{level} {'reviewed' if row.attempt_id in self._accepted else 'unreviewed'}"

    @cached_property
    def _column(self) -> Column | None:
        columns = columns_of(self._board.challenge)
        return next((column for column in columns if column.ranked), None)

    @cached_property
    def _accepted(self) -> frozenset[UUID | None]:
        challenge = self._board.challenge
        if challenge.review == "none":
            return frozenset()
        accepted = Decision.objects.filter(
            challenge=challenge, kind=Decision.Kind.ACCEPTED, undone_by=None
        )
        if self._rows is not None:
            ids = [row.attempt_id for row in self._rows if row.attempt_id]
            accepted = accepted.filter(attempt__in=ids)
        return frozenset(accepted.values_list("attempt", flat=True))
