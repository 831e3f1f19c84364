"""Log lines and counters for attempts that end and for lost workers."""

from __future__ import annotations

import logging
import time
from typing import Literal
from uuid import UUID

from leaderboard.sandbox import Outcome
from leaderboard.services.operations import tallies
from leaderboard.services.scoring.claims import Claim

logger = logging.getLogger(__name__)


def log_claimed(claimed: Claim) -> None:
    """If the attempt was claimed before, log that its worker was lost."""
    if claimed.attempt.deliveries > 1:
        log_lost(claimed)


def log_lost(claimed: Claim) -> None:
    fields = {"attempt": str(claimed.attempt.pk), "deliveries": claimed.attempt.deliveries}
    if claimed.count > 1:
        fields["batch"] = claimed.count
    logger.warning("a worker was lost while it scored an attempt", extra=fields)
    tallies.count(tallies.LEASES_LOST, claimed.count)


def log_ended(claimed: Claim, outcome: Outcome, *, attempt_id: UUID | None = None) -> Literal[True]:
    """Log how an attempt ended under its own config, and how long the claim took.

    attempt_id: which attempt, if the claim has many.
    """
    attempt, seconds = claimed.attempt, time.monotonic() - claimed.since
    challenge = attempt.scoring_config.challenge
    result = "scored" if outcome.error is None else "failed"
    fields: dict[str, str | float] = {
        "attempt": str(attempt_id or attempt.pk),
        "tenant": challenge.tenant.slug,
        "challenge": challenge.slug,
        "ms": round(seconds * 1000, 1),
        "result": result,
    }
    if claimed.count > 1:
        fields["batch"] = claimed.count
    if request_id := claimed.request_id_of(attempt_id or attempt.pk):
        fields["request_id"] = request_id
    if outcome.error is not None:
        fields["error"] = outcome.error.code
    logger.info("attempt ended", extra=fields)
    tallies.count(tallies.ATTEMPTS, tenant=challenge.tenant.slug, result=result)
    tallies.observe(tallies.SCORING, seconds)
    return True
