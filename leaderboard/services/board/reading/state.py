"""The state that a board's ETag depends on, read by one prepared statement.

Most requests for a board need nothing else, because their ETag is current.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from leaderboard.models import Board, Challenge, Phase
from leaderboard.models.board import BoardQuerySet
from leaderboard.models.clock import now_sql
from leaderboard.models.prepared import fetch


class BoardState(NamedTuple):
    """The state of a challenge and a board that decides whether readers must reload the board.

    board_version: how often the challenge's boards have changed other than by scores. version: how
    often the standings of the board have changed. judged_version: the version for which the
    certainty of the board is stored. is_open: whether the phase is open now, which pages say.
    """

    pk: UUID
    board_version: int
    shown_config_id: int
    newest_config_id: int
    visibility: str
    board_id: int
    version: int
    judged_version: int | None
    is_open: bool


STATE = (
    "config__challenge",
    "config__challenge__board_version",
    "config",
    "config",
    "config__challenge__visibility",
    "pk",
    "version",
    "judged_version",
    "is_open",
)
"""The fields of a `BoardState` of `open_boards`."""


def open_state(slug: str) -> BoardState | None:
    """The state of a board that everyone sees, and that shows the newest scoring config.

    None for any other board, if the challenge has several, and if another one has the same slug,
    as a member may mean that one: then the caller has to read the challenge itself.
    """
    boards = fetch(_sql(), [slug, Challenge.Visibility.PRIVATE])
    if len(boards) != 1:
        return None
    *columns, is_open = boards[0]
    state = BoardState._make([*columns, bool(is_open)])
    return state if isinstance(state.pk, UUID) else state._replace(pk=UUID(state.pk))


def open_boards(slug: str) -> BoardQuerySet:
    """The boards of which `open_state` reads the only one, for callers that need more of it.

    Those of a restricted challenge are among them.
    """
    opened = Q(phase__opens_at=None) | Q(phase__opens_at__lte=Now())
    not_closed = Q(phase__closes_at=None) | Q(phase__closes_at__gt=Now())
    boards = Board.objects.under_shown_config().annotate(is_open=opened & not_closed)
    open_ones = boards.filter(
        config__challenge__slug=slug,
        config__challenge__newest_config=F("config"),
        until=None,
        is_out_of_ranking=False,
    )
    return open_ones.exclude(config__challenge__visibility=Challenge.Visibility.PRIVATE).filter(
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
        board.judged_version,
        board.phase.is_open(timezone.now()),
    )


@cache
def _sql() -> str:
    challenge, board, phase = (
        connection.ops.quote_name(model._meta.db_table) for model in (Challenge, Board, Phase)
    )
    now = now_sql()
    return (
        "SELECT c.id, c.board_version, c.shown_config_id, c.newest_config_id, c.visibility,"  # noqa: S608 - tables of ours
        f" b.id, b.version, b.judged_version, (p.opens_at IS NULL OR p.opens_at <= {now})"
        f" AND (p.closes_at IS NULL OR p.closes_at > {now})"
        f" FROM {challenge} c JOIN {board} b ON b.config_id = c.shown_config_id"
        " AND b.until IS NULL AND NOT b.is_out_of_ranking"
        f" JOIN {phase} p ON p.id = b.phase_id"
        " WHERE c.slug = %s AND c.visibility <> %s AND c.shown_config_id = c.newest_config_id"
        " AND NOT c.is_restricted AND NOT c.is_draft"
        f" AND NOT EXISTS (SELECT 1 FROM {challenge} o WHERE o.slug = c.slug AND o.id <> c.id)"
    )
