"""Slices of a rescore: ranges of attempt ids that workers claim as they claim attempts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from uuid import uuid4

from django.db.models import F, Sum
from django.db.models.functions import Now

from leaderboard.models import Attempt, Challenge, RescoreSlice, ScoringConfig
from leaderboard.services.evaluation.metrics import longest

SMALLEST_SLICE, LARGEST_SLICE, SLICES_TO_SHOW = 100, 1000, 25
INSTANCES_PER_SLICE = 5000
"""So that several workers share what is evaluated for minutes."""
LEASE = timedelta(seconds=20)
"""How long a slice stays with a worker that is heard of no more, beside calls of plugins."""
LOOKED_AT = 8
"""Free slices that a worker tries before it thinks that there is none."""


def cut(challenge: Challenge, config: ScoringConfig) -> Iterator[RescoreSlice]:
    """Slices small enough that progress is seen to move, large enough to be stored at once."""
    everything = Attempt.objects.filter(challenge=challenge).order_by("pk")
    size = _size(everything.count(), everything.aggregate(sum=Sum("instance_count"))["sum"] or 0)
    ids = everything.values_list("pk", flat=True).iterator(chunk_size=10_000)
    while piece := list(islice(ids, size)):
        yield RescoreSlice(config=config, first=piece[0], last=piece[-1], attempts=len(piece))


def claim_slice(config_id: int) -> RescoreSlice | None:
    """Take a free slice, as an attempt is claimed: by one conditional UPDATE."""
    token = uuid4()
    waiting = RescoreSlice.objects.filter(config_id=config_id).waiting().order_by("pk")
    for each in waiting.select_related("config__challenge__tenant")[:LOOKED_AT]:
        mine = (
            RescoreSlice.objects.filter(pk=each.pk)
            .waiting()
            .update(
                lease_token=token,
                lease_until=Now() + lease_of(each.config),
                deliveries=F("deliveries") + 1,
            )
        )
        if mine:
            each.lease_token = token
            return each
    return None


def lease_of(config: ScoringConfig) -> timedelta:
    return LEASE + timedelta(milliseconds=config.timeout_ms) + longest(config)


def _size(attempts: int, instances: int) -> int:
    size = max(SMALLEST_SLICE, min(LARGEST_SLICE, attempts // SLICES_TO_SHOW))
    return max(1, min(size, INSTANCES_PER_SLICE * attempts // instances)) if instances else size
