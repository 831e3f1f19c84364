"""The ranked values of a board over time, as far as a reader sees them.

A stored list of records would change with every withdrawal, rescore and late result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from leaderboard.models import Participant
from leaderboard.rules.ranking.standing_draft import StandingDraft
from leaderboard.rules.visibility.view import Extent
from leaderboard.rules.visibility.withholding import rounded
from leaderboard.services.board.reading.rows import RowParticipant
from leaderboard.services.board.standings.derivation import each_attempt
from leaderboard.services.competition.visible.board import VisibleBoard


class VisibleAttempt(NamedTuple):
    """An attempt with its ranked value. attempt_id: None if the reader may not open it."""

    at: datetime
    value: float
    participant: RowParticipant
    attempt_id: UUID | None


class VisibleAttempts(NamedTuple):
    """Attempts in the order of time.

    are_all: whether these are all ranked attempts; otherwise there is one for each row of the
    board.
    """

    attempts: list[VisibleAttempt]
    are_all: bool


def attempts_over_time(board: VisibleBoard, *, most: int, most_rows: int) -> VisibleAttempts:
    """The attempts of a board by time, with the value that the board ranks by first.

    most: if there are more attempts, those that count on the first `most_rows` rows are taken, so
    that the work does not grow with the challenge. These are taken as well if the reader may not
    know of all attempts.
    """
    drafts = _drafts(board, most + 1)
    are_all = drafts is not None and len(drafts) <= most
    attempts = _of_drafts(board, drafts or []) if are_all else _of_rows(board, most_rows)
    by_time = sorted(attempts, key=lambda attempt: (attempt.at, str(attempt.attempt_id)))
    return VisibleAttempts(by_time, are_all)


def _drafts(board: VisibleBoard, most: int) -> list[StandingDraft] | None:
    """The attempts; None if the reader may not know of all of them, or not of all scores."""
    if board.view.counted_only:
        return None
    if not (board.is_whole and board.view.attempts is Extent.ALL and board.board.is_complete):
        return None
    return each_attempt(board.board, most)


def _of_drafts(board: VisibleBoard, drafts: Iterable[StandingDraft]) -> Iterator[VisibleAttempt]:
    key, sample = board.board.config.ranking.keys[0].key, board.challenge.sample_id
    ranked = [
        draft
        for draft in drafts
        if draft.place.unranked is None and key in draft.values and draft.attempt_id != sample
    ]
    who = _participants(board, {draft.participant_id for draft in ranked})
    for draft in ranked:
        value = _as_seen(board, draft.values[key])
        yield VisibleAttempt(draft.reached_at, value, who[draft.participant_id], draft.attempt_id)


def _of_rows(board: VisibleBoard, most: int) -> Iterator[VisibleAttempt]:
    key = board.board.config.ranking.keys[0].key
    for row in board.page_from(0, limit=most).rows:
        if row.rank is not None and key in row.values:
            yield VisibleAttempt(row.reached_at, row.values[key], row.participant, row.attempt_id)


def _participants(board: VisibleBoard, ids: set[int]) -> dict[int, RowParticipant]:
    """Participants by id, under the names that the reader sees."""
    fields = RowParticipant._fields[1:]
    rows = Participant.objects.filter(pk__in=ids).values_list("pk", *fields)
    those = (RowParticipant(*row) for row in rows)
    return {who.pk: board.access.row_participant(who, board.phase_id) for who in those}


def _as_seen(board: VisibleBoard, value: float) -> float:
    decimals = board.view.decimals
    return value if decimals is None else rounded(value, decimals)
