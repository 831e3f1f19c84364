"""The ranked values of one participant over time, as far as a reader sees them."""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from leaderboard.rules.visibility.view import Extent
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.standings.derivation import attempts_of_one
from leaderboard.services.competition.visible.board import VisibleBoard

MOST_ATTEMPTS: Final = 200


class CourseAttempt(NamedTuple):
    """A ranked attempt with the value that the board ranks by first."""

    at: datetime
    value: float
    attempt_id: UUID


class VisibleCourse(NamedTuple):
    """The newest attempts in the order of time. are_all: whether there are no others."""

    attempts: list[CourseAttempt]
    are_all: bool


def course_of_row(board: VisibleBoard, row: BoardRow) -> VisibleCourse:
    """The attempts of the participant of a row.

    None if attempts or exact scores are hidden, on boards that rank by time, and for values that
    compare participants, which change with the attempts of others.
    """
    view, config = board.view, board.board.config
    key = config.ranking.keys[0].key
    is_compared = any(spec.name == key for spec in config.comparing_specs)
    may_know = min(view.board, view.scores, view.attempts) is Extent.ALL and view.is_exact
    is_there = board.board.pk is not None and board.board.is_complete
    if not (may_know and is_there) or is_compared or key == "submitted_at":
        return VisibleCourse([], are_all=True)
    ranks = board.board if row.rank is not None else board.board.board_out_of_ranking or board.board
    drafts = attempts_of_one(ranks, row.participant.pk, MOST_ATTEMPTS + 1)
    attempts = [
        CourseAttempt(draft.reached_at, draft.values[key], draft.attempt_id)
        for draft in drafts
        if draft.place.unranked is None and key in draft.values and draft.attempt_id
    ]
    return VisibleCourse(attempts[-MOST_ATTEMPTS:], are_all=len(drafts) <= MOST_ATTEMPTS)
