"""Fills boards that were added after attempts had been scored, in pieces of some participants.

Each piece is a transaction that derives the standings of the next participants by id. Scores of
participants that are already there count at once, those of the others when their piece comes.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from uuid import UUID

from django.db.models import Exists, F, OuterRef
from django.db.models.functions import Now

from leaderboard.models import Attempt, Board, Bucket, Challenge, Score, Standing
from leaderboard.services.board import buckets
from leaderboard.services.board.standings.comparisons import compare_all
from leaderboard.services.board.standings.derivation import derived
from leaderboard.services.board.standings.drafts import insert
from leaderboard.services.one_by_one import one_by_one
from leaderboard.services.transactions import retried

PARTICIPANTS_AT_ONCE = 2000


def fill_boards(challenge: Challenge | None = None) -> int:
    """Complete the boards that lack standings; returns how many there were.

    challenge: only its boards. A board under a config that is no longer shown is left alone.
    """
    waiting = Board.objects.filter(
        filled_to__isnull=False, config__number__gte=F("config__challenge__shown_config__number")
    )
    if challenge is not None:
        waiting = waiting.filter(config__challenge=challenge)
    incomplete = list(waiting.values_list("pk", "config__challenge"))
    return len(one_by_one(_fill, incomplete))


def refill_later(phases: Collection[int]) -> None:
    """Make the boards of phases incomplete, so that all their standings are derived again.

    Boards without scores stay as they are. Call it in a transaction that has locked the challenge,
    and fill the boards after it.
    """
    if not phases:
        return
    scores = Score.objects.filter(config=OuterRef("config"), attempt__phase=OuterRef("phase"))
    scored = Board.objects.filter(
        Exists(scores),
        phase__in=phases,
        config__number__gte=F("config__challenge__shown_config__number"),
    )
    boards = Board.objects.filter(pk__in=list(scored.values_list("pk", flat=True)))
    Bucket.objects.filter(board__in=boards).delete()
    boards.update(filled_to=0, version=F("version") + 1, changed_at=Now())


def _fill(board: tuple[int, UUID]) -> None:
    """Complete a board. board: its id and that of its challenge."""
    while retried(partial(_fill_piece, *board)):
        pass


def _fill_piece(board_id: int, challenge_id: UUID) -> bool:
    """Add the standings of the next participants; returns whether there may be more.

    The lock lets no other transaction count an attempt of the challenge until this one ends.
    """
    challenge = Challenge.objects.select_for_update().get(pk=challenge_id)
    incomplete = Board.objects.filter(pk=board_id, filled_to__isnull=False)
    board = incomplete.select_related("phase", "config__challenge").first()
    if board is None or board.filled_to is None:
        return False
    later = Attempt.objects.filter(phase=board.phase_id, participant__gt=board.filled_to)
    ids = later.order_by("participant").values_list("participant", flat=True).distinct()
    participants = list(ids[:PARTICIPANTS_AT_ONCE])
    if participants:
        last = participants[-1]
        leftovers = Standing.objects.filter(board=board, participant__gt=board.filled_to)
        leftovers.filter(participant__lte=last).delete()
        insert(board.pk, derived(board, after=board.filled_to, to=last))
        Board.objects.filter(pk=board.pk).update(filled_to=last)
        return True
    compare_all(board)
    if board.config_id == challenge.shown_config_id:
        buckets.build(board.pk)
    Board.objects.filter(pk=board.pk).update(
        filled_to=None, version=F("version") + 1, changed_at=Now()
    )
    return False
