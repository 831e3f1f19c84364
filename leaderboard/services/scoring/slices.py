"""Slices of a rescore: ranges of attempt ids that workers claim as they claim attempts."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

from django.db.models import F
from django.db.models.functions import Now

from leaderboard.models import RescoreSlice, ScoringConfig
from leaderboard.services.evaluation.metrics import longest
from leaderboard.services.predictions.values import longest_measuring

LEASE = timedelta(seconds=20)
"""The lease of a slice, to which the time limits of its plugins are added."""
LOOKED_AT = 8
"""How many free slices a worker tries to claim before it assumes that there is none."""


def claim_slice(config_id: int) -> RescoreSlice | None:
    """Claim a free slice by one conditional UPDATE, like an attempt; None if none is free."""
    token = uuid4()
    waiting = RescoreSlice.objects.filter(config_id=config_id).waiting().order_by("pk")
    for rescore_slice in waiting.select_related("config__challenge__tenant")[:LOOKED_AT]:
        mine = (
            RescoreSlice.objects.filter(pk=rescore_slice.pk)
            .waiting()
            .update(
                lease_token=token,
                lease_until=Now() + lease_of(rescore_slice.config),
                deliveries=F("deliveries") + 1,
            )
        )
        if mine:
            rescore_slice.lease_token = token
            rescore_slice.deliveries += 1
            return rescore_slice
    return None


def lease_of(config: ScoringConfig) -> timedelta:
    measuring = longest(config) + longest_measuring(config)
    return LEASE + timedelta(milliseconds=config.timeout_ms) + measuring
