"""What workers do, and what happens to them."""

from __future__ import annotations

from datetime import timedelta

from django.db.models.functions import Now

from leaderboard.models import Attempt, Challenge, ScoringConfig
from leaderboard.services.scoring.claims import Claim, claim
from leaderboard.services.scoring.next_claim import claim_next
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from leaderboard.services.scoring.unfinished import Length


def claimed(attempt: Attempt) -> Claim:
    """Claim this attempt."""
    new_claim = claim(attempt.pk)
    assert new_claim is not None
    return new_claim


def next_claim(length: Length = "short") -> Claim:
    """Claim the next attempt."""
    new_claim = claim_next(length)
    assert new_claim is not None
    return new_claim


def rescored(challenge: Challenge) -> ScoringConfig:
    """Score every attempt again, and read the challenge again; return the new config."""
    config, _ = start_rescore(challenge)
    work_on(config.pk)
    challenge.refresh_from_db()
    return config


def lose_workers() -> None:
    """Let all leases end in the past, as if their workers had died some time ago."""
    Attempt.objects.leased().update(lease_until=Now() - timedelta(seconds=1))
