"""Workers that die in the middle of an attempt."""

from __future__ import annotations

from datetime import timedelta

from django.db.models.functions import Now

from leaderboard.models import Attempt


def lose_workers() -> None:
    """Let all leases end in the past, as if their workers had died some time ago."""
    Attempt.objects.leased().update(lease_until=Now() - timedelta(seconds=1))
