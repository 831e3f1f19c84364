"""Leases that cannot end in time: of a server that is gone, or from before a clock was set back.

Nothing is lost if a lease ends too early: another worker scores the attempt, and the result of the
first one is dropped.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from leaderboard.models import Attempt, RescoreSlice, Worker

logger = logging.getLogger(__name__)

LONGEST: Final = timedelta(days=1)
"""Longer than any lease: those of evaluations are renewed every few seconds."""
AHEAD: Final = timedelta(seconds=30)
"""How far in the future the last sign of a worker's life must be to show that a clock was set
back."""


def void_leases() -> int:
    """End all leases, because this server is the only one that scores; returns how many."""
    return sum(held.update(lease_until=Now() - timedelta(seconds=1)) for held in _held())


def end_impossible_leases() -> int:
    """End the leases that are longer than any lease can be; returns how many."""
    ended = sum(
        held.filter(lease_until__gt=Now() + LONGEST).update(
            lease_until=Now() - timedelta(seconds=1)
        )
        for held in _held()
    )
    if ended:
        logger.warning("%d leases were longer than any lease and have ended", ended)
    return ended


def follow_clock() -> bool:
    """Move leases back if the database's clock was set back; returns whether it was.

    Then the last signs of life of workers are in the future.
    """
    ahead = Worker.objects.filter(seen_at__gt=Now() + AHEAD)
    latest_sign = ahead.order_by("-seen_at").values_list("seen_at", Now()).first()
    if latest_sign is None:
        return False
    latest, now = latest_sign
    back = latest - now
    with transaction.atomic():
        if not ahead.update(seen_at=Now()):
            return False  # another worker was quicker
        for held in _held():
            held.filter(lease_until__gt=Now()).update(lease_until=F("lease_until") - back)
    logger.warning("the database's clock was set back by %s; leases follow it", back)
    return True


def _held() -> tuple[QuerySet[Attempt], QuerySet[RescoreSlice]]:
    """What has a lease of a worker."""
    return (
        Attempt.objects.leased().filter(lease_token__isnull=False),
        RescoreSlice.objects.filter(done=False, lease_token__isnull=False),
    )
