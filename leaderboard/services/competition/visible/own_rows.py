"""The rows of a reader's own participants on a board."""

from __future__ import annotations

from typing import Final, NamedTuple

from leaderboard.models import User
from leaderboard.services.board.reading.ranks import ahead, bucket_bounds_of
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.participants.ownership import registrations_as
from leaderboard.services.competition.visible.board import VisibleBoard

MOST_OWN: Final = 5
"""A user with more participants than this submits for others, so none is their own."""


class OwnRows(NamedTuple):
    """The reader's participants in a challenge. best: their first row; position: its place on the
    board, counted from 0."""

    participants: frozenset[int]
    best: BoardRow | None
    position: int


NO_OWN_ROWS: Final = OwnRows(frozenset(), None, 0)


def own_rows(board: VisibleBoard, user: User) -> OwnRows:
    """Returns the reader's participants with their first row.

    The position of the row is that on the whole board, even if the reader sees only their own rows.
    """
    registered = registrations_as(user).filter(challenge=board.challenge)
    participants = list(registered.values_list("participant", flat=True)[: MOST_OWN + 1])
    if not participants or len(participants) > MOST_OWN:
        return NO_OWN_ROWS
    best = board.first_of(participants)
    if best is None:
        return OwnRows(frozenset(participants), None, 0)
    position = ahead(board.board.read_pk, best.sort_key, bucket_bounds_of(board.board))
    return OwnRows(frozenset(participants), best, position)
