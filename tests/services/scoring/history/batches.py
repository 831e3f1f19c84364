"""Batches of history: a scorer for them, and checks of their attempts."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from django.db.models import QuerySet

from leaderboard.models import Attempt, Challenge, Score
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.scoring.batch_claims import BatchClaim
from leaderboard.services.scoring.next_claim import claim_next

SCORER = """
import os

class Steps:
    seen = 0

    def score(self, metrics, config, ctx):
        Steps.seen += 1
        if metrics["elapsed_ms"] == 7:
            os._exit(3)
        return {"score": {score}}
"""


def statuses() -> Counter[str]:
    return Counter(Attempt.objects.values_list("status", flat=True))


def due(attempts: QuerySet[Attempt]) -> list[datetime]:
    """Return due times in order; several participants may have the same."""
    return list(attempts.order_by("due_at").values_list("due_at", flat=True))


def batch() -> BatchClaim:
    claim = claim_next("short", batches=True)
    assert isinstance(claim, BatchClaim)
    return claim


def is_right(challenge: Challenge) -> bool:
    """Return whether each attempt has one score, and the board is right."""
    challenge.refresh_from_db()
    scores = Counter(Score.objects.values_list("attempt_id", "config_id"))
    return set(scores.values()) == {1} and verify_standings(challenge) == []
