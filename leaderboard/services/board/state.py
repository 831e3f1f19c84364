"""The state that a board's ETag depends on, read by one prepared statement.

Most requests for a board need nothing else, because their ETag is current.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import F

from leaderboard.models import Board, Challenge
from leaderboard.models.board import BoardQuerySet
from leaderboard.models.prepared import fetch


class BoardState(NamedTuple):
    """The state of a challenge and a board that decides whether readers must reload the board.

    board_version: how often the challenge's boards have changed other than by scores. version: how
    often the standings of the board have changed.
    """

    pk: UUID
    board_version: int
    shown_config_id: int
    newest_config_id: int
    visibility: str
    board_id: int
    version: int


STATE = (
    "config__challenge",
    "config__challenge__board_version",
    "config",
    "config",
    "config__challenge__visibility",
    "pk",
    "version",
)
"""The fields of a `BoardState` of `open_boards`."""


def open_state(slug: str) -> BoardState | None:
    """The state of a board that everyone sees, and that shows the newest scoring config.

    None for any other board, and if the challenge has several: for those the caller has to read the
    challenge itself.
    """
    found = fetch(_sql(), [slug, Challenge.Visibility.PRIVATE])
    if len(found) != 1:
        return None
    key, *rest = found[0]
    return BoardState(key if isinstance(key, UUID) else UUID(key), *rest)


def open_boards(slug: str) -> BoardQuerySet:
    """The boards of which `open_state` reads the only one, for callers that need more of it.

    Those of a restricted challenge are among them.
    """
    found = Board.objects.shown().filter(
        config__challenge__slug=slug,
        config__challenge__newest_config=F("config"),
        until=None,
        outside=False,
    )
    return found.exclude(config__challenge__visibility=Challenge.Visibility.PRIVATE).filter(
        config__challenge__is_draft=False
    )


def state_of(board: Board) -> BoardState:
    """The state of a board that is already loaded."""
    challenge = board.challenge
    return BoardState(
        challenge.pk,
        challenge.board_version,
        challenge.shown.pk,
        challenge.newest.pk,
        Challenge.Visibility.PRIVATE if challenge.is_draft else challenge.visibility,
        board.pk,
        board.version,
    )


@cache
def _sql() -> str:
    challenge, board = (
        connection.ops.quote_name(model._meta.db_table) for model in (Challenge, Board)
    )
    return (
        "SELECT c.id, c.board_version, c.shown_config_id, c.newest_config_id, c.visibility,"  # noqa: S608 - tables of ours
        f" b.id, b.version FROM {challenge} c JOIN {board} b ON b.config_id = c.shown_config_id"
        " AND b.until IS NULL AND NOT b.outside"
        " WHERE c.slug = %s AND c.visibility <> %s AND c.shown_config_id = c.newest_config_id"
        " AND NOT c.is_restricted AND NOT c.is_draft"
    )
