"""Which workers are alive: each worker updates its row whenever it sweeps."""

from __future__ import annotations

import os
import socket
from datetime import timedelta
from functools import cache

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Now

from leaderboard.models import Attempt, Worker
from leaderboard.services.operations.failing_parts import failing_parts
from leaderboard.version import VERSION

FORGOTTEN_AFTER = timedelta(days=1)
"""The time without a sign of life after which a worker's row is deleted."""


@cache
def own_name() -> str:
    """The name of this process: the host, the process id, and its start in milliseconds."""
    started = os.stat("/proc/self").st_ctime_ns if os.path.exists("/proc/self") else 0
    return f"{socket.gethostname()[:120]}:{os.getpid()}:{started // 1_000_000}"


def record_alive() -> bool:
    """Record that this worker is alive; returns True when it is new, and then deletes old rows."""
    values = {"version": VERSION, "seen_at": Now(), "failing": failing_parts()}
    if Worker.objects.filter(pk=own_name()).update(**values):
        return False
    Worker.objects.update_or_create(pk=own_name(), defaults=values)
    Worker.objects.filter(seen_at__lt=Now() - FORGOTTEN_AFTER).delete()
    return True


def remove_own_row() -> None:
    """Delete the row of this worker, because it ends."""
    Worker.objects.filter(pk=own_name()).delete()


def alive_within() -> timedelta:
    """How long a silent worker still counts as alive: six sweeps, at least 30 s."""
    return timedelta(seconds=max(30.0, 6 * settings.SWEEP_SECONDS))


def living() -> list[str]:
    """Signs that workers are alive, one line each: recently written rows, and leased attempts."""
    lines = [f"worker {worker.name}" for worker in Worker.objects.alive(alive_within())]
    leased = Attempt.objects.filter(
        status=Attempt.Status.SCORING, lease_until__gt=Now(), lease_token__isnull=False
    ).annotate(lease=F("lease_until"))
    lines += [f"attempt {attempt.pk} is being scored" for attempt in leased[:3]]
    return lines
