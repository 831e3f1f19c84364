"""The rows of a reader's own participants on a board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from leaderboard.models import User
from leaderboard.models.built_once import Values
from leaderboard.services.board.reading.ranks import ahead, bucket_bounds_of
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.participants.ownership import registrations_as
from leaderboard.services.competition.visible.board import VisibleBoard

MOST_OWN: Final = 5
"""A user with more participants than this submits for others, so none is their own."""


_OWN: Final = Values(
    lambda challenge, user: (
        registrations_as(User(pk=user))
        .filter(challenge_id=challenge)
        .values_list("participant_id")[: MOST_OWN + 1]
    ),
    challenge=UUID,
    user=int,
)


class OwnRow(NamedTuple):
    """The first row of a reader. position: its place on the board, counted from 0."""

    row: BoardRow
    position: int


def own_participants(board: VisibleBoard, user: User) -> list[int]:
    """The ids of the reader's participants in a challenge."""
    own = sorted(pk for (pk,) in _OWN.all(challenge=board.challenge.pk, user=user.pk))
    return own if len(own) <= MOST_OWN else []


def own_row(board: VisibleBoard, participants: Sequence[int]) -> OwnRow | None:
    """The first row of the reader's participants; None if there is none, or if others are hidden.

    Its position is that on the whole board.
    """
    row = board.first_of(participants)
    if row is None:
        return None
    return OwnRow(row, ahead(board.board.read_pk, row.sort_key, bucket_bounds_of(board.board)))
