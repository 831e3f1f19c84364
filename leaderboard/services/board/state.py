"""The state that a board's ETag depends on, read by one prepared statement.

Most requests for a board need nothing else, because their ETag is current.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import F

from leaderboard.models import Challenge
from leaderboard.models.challenge import ChallengeQuerySet
from leaderboard.models.prepared import fetch


class BoardState(NamedTuple):
    """The state of a challenge that decides whether readers of its board must reload it."""

    pk: UUID
    board_version: int
    shown_config_id: int
    newest_config_id: int
    visibility: str


def open_state(slug: str) -> BoardState | None:
    """The state of a board that is not private and shows the newest scoring config.

    None for any other board: for those the caller has to read the challenge itself.
    """
    found = fetch(_sql(), [slug, Challenge.Visibility.PRIVATE])
    if not found:
        return None
    key, *rest = found[0]
    return BoardState(key if isinstance(key, UUID) else UUID(key), *rest)


def open_challenges(slug: str) -> ChallengeQuerySet:
    """The challenge of `open_state`, for callers that need more of it at once."""
    found = Challenge.objects.filter(slug=slug, shown_config=F("newest_config"))
    return found.exclude(visibility=Challenge.Visibility.PRIVATE)


def state_of(challenge: Challenge) -> BoardState:
    """The state of a challenge that is already loaded."""
    return BoardState(
        challenge.pk,
        challenge.board_version,
        challenge.shown.pk,
        challenge.newest.pk,
        challenge.visibility,
    )


@cache
def _sql() -> str:
    table = connection.ops.quote_name(Challenge._meta.db_table)
    return (
        "SELECT id, board_version, shown_config_id, newest_config_id, visibility"  # noqa: S608 - a table of ours
        f" FROM {table} WHERE slug = %s AND visibility <> %s"
        " AND shown_config_id = newest_config_id"
    )
