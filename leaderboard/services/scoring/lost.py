"""Attempts that lost too many workers: they end, as they may have caused the losses."""

from __future__ import annotations

from datetime import timedelta

from django.db import DatabaseError
from django.db.models import F
from django.db.models.functions import Now

from leaderboard.models import Attempt, BlockedBoard
from leaderboard.operating import outages
from leaderboard.operating.request_ids import caused_by
from leaderboard.sandbox import Failure
from leaderboard.services.evaluation.attempts_to_score import attempt_to_score
from leaderboard.services.scoring.blocked_boards import block
from leaderboard.services.scoring.claims import CLAIMED_WITH, MAX_DELIVERIES, Claim
from leaderboard.services.scoring.log import log_lost
from leaderboard.services.scoring.outcomes import NOTHING_TO_RUN
from leaderboard.services.scoring.single import end_unscored

LAST_CALL = timedelta(seconds=20)
"""How long a worker that is alive, and could not save, has to say so before its attempt ends."""

WORKER_LOST = NOTHING_TO_RUN._replace(
    error=Failure(
        code="worker_lost",
        message=f"The worker was lost {MAX_DELIVERIES} times while it scored this attempt.",
        detail="",
    )
)


def give_up_lost() -> int:
    """End attempts that lost too many workers; returns how many there were.

    An attempt ends some time after this has found it: only then is it known that the database takes
    writes, and workers that are alive have taken back the deliveries that they could not end.
    """
    overdue = Attempt.objects.overdue()
    overdue.filter(deliveries=MAX_DELIVERIES, lease_token__isnull=False).update(
        lease_until=Now() + LAST_CALL, deliveries=F("deliveries") + 1
    )
    lost = overdue.filter(deliveries__gt=MAX_DELIVERIES)
    blocked = BlockedBoard.objects.current().values("challenge_id")
    ended = 0
    for attempt in lost.exclude(challenge__in=blocked).select_related(*CLAIMED_WITH)[:100]:
        if attempt.lease_token is not None:
            result = attempt_to_score(attempt), WORKER_LOST
            claimed = Claim(attempt, attempt.lease_token)
            with caused_by(**claimed.log_fields):
                log_lost(claimed)
                try:
                    ended += end_unscored(claimed, result)
                except DatabaseError as error:
                    if not outages.waited_for_lock(error):
                        raise
                    block(attempt.challenge_id, error, [])
                    break
    return ended
