"""The rows of a reader's own participants on a board."""

from __future__ import annotations

from typing import Final, NamedTuple

from django.db.models import Q

from leaderboard.models import Entry, Registration, User
from leaderboard.services.board.ranks import ahead, fences_of
from leaderboard.services.board.rows import Row
from leaderboard.services.competition.seen_board import SeenBoard

MOST_OWN: Final = 5
"""A user with more participants than this submits for others, so none is their own."""


class OwnRows(NamedTuple):
    """The reader's participants in a challenge. best: their first row; position: its place on the
    board, counted from 0."""

    participants: frozenset[int]
    best: Row | None
    position: int


NOBODY: Final = OwnRows(frozenset(), None, 0)


def own_rows(board: SeenBoard, user: User) -> OwnRows:
    """The participants of a user with their first row. Their rows stand where they are on a board
    of which the user sees only them."""
    current = Entry.objects.current().filter(user=user, challenge=board.challenge)
    mine = Q(participant__owner=user) | Q(participant__in=current.values("participant"))
    registered = Registration.objects.filter(mine, challenge=board.challenge)
    found = list(registered.values_list("participant", flat=True)[: MOST_OWN + 1])
    if not found or len(found) > MOST_OWN:
        return NOBODY
    best = board.first_of(found)
    if best is None:
        return OwnRows(frozenset(found), None, 0)
    position = ahead(board.board.read_pk, best.sort_key, fences_of(board.board))
    return OwnRows(frozenset(found), best, position)
