"""The current state of the queue, the workers and the disk, read on request."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Count, F, Q
from django.db.models.functions import Now

from leaderboard.models import Attempt, ScoringConfig, Worker
from leaderboard.services.challenges.rescores import RescoreProgress, progress_of
from leaderboard.services.operations.health import oldest_waiting_seconds
from leaderboard.services.operations.workers import alive_within

LITTLE_SPACE = 0.05
"""The share of free space on the disk below which there is a warning."""


FULL_BELOW = 32 * 2**20
"""The free bytes below which a disk counts as full: a large submission no longer fits."""


@dataclass(frozen=True, slots=True)
class Gauges:
    """The state of the queue and of its workers."""

    waiting: dict[str, int]
    """How many attempts wait for a worker, by the tenant's slug. Attempts that wait for an
    organiser do not count."""
    scoring: int
    oldest_waiting_seconds: float
    workers_alive: int
    failing: dict[str, int]
    """On how many of these workers a part of the sweep fails again and again, by its name."""
    rescores: dict[tuple[str, str], RescoreProgress]
    """The rescores in progress, by the slugs of tenant and challenge."""


@dataclass(frozen=True, slots=True)
class Disk:
    """The file system that holds the data folder."""

    free: int
    total: int

    @property
    def share_free(self) -> float:
        return self.free / self.total if self.total else 1.0

    @property
    def is_low(self) -> bool:
        return self.share_free < LITTLE_SPACE

    @property
    def is_full(self) -> bool:
        return self.free < FULL_BELOW


def gauges() -> Gauges:
    """Read the current state with a few counts on indexes. Raises `django.db.Error`."""
    in_hand = Q(lease_until__gte=Now())
    by_tenant = (
        Attempt.objects.unfinished()
        .exclude(in_hand)
        .values(slug=F("tenant__slug"))
        .annotate(count=Count("pk"))
        .order_by("slug")
    )
    going_on = ScoringConfig.objects.rescoring().select_related("challenge__tenant")
    workers = Worker.objects.alive(alive_within()).values_list("failing", flat=True)
    return Gauges(
        waiting={row["slug"]: row["count"] for row in by_tenant},
        scoring=Attempt.objects.leased().filter(in_hand).count(),
        oldest_waiting_seconds=oldest_waiting_seconds() or 0.0,
        workers_alive=len(workers),
        failing=Counter(part["part"] for failing in workers for part in failing),
        rescores={
            (config.challenge.tenant.slug, config.challenge.slug): progress_of(config)
            for config in going_on.order_by("number")  # the newest of a challenge counts
        },
    )


def disk() -> Disk:
    usage = shutil.disk_usage(settings.DATA_DIR)
    return Disk(usage.free, usage.total)
