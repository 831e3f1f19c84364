"""A board of few participants in buckets of four, so that it has several buckets."""

from __future__ import annotations

import pytest

from leaderboard.models import Challenge, Tenant
from leaderboard.services.board import buckets
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from tests.services.attempts.crowds import WAYS
from tests.services.conftest import Submit


def small_board(
    tenant: Tenant, submit: Submit, monkeypatch: pytest.MonkeyPatch, *, rows: int
) -> Challenge:
    """Make a challenge with a participant for each row: p0 leads, then p1, …"""
    monkeypatch.setattr(buckets, "SIZE", 4)
    monkeypatch.setattr(buckets, "MOST", 8)
    challenge = create_challenge(
        tenant=tenant, user=None, fields={"name": "Row", **WAYS["fastest"]}
    )
    for at in range(rows):
        submit(challenge, f"p{at}", elapsed_ms=100 * (at + 1))
    single.score_waiting()
    return as_read_now(challenge)


def as_read_now(challenge: Challenge) -> Challenge:
    """Return the challenge as a new request reads it."""
    return Challenge.objects.select_related("shown_config", "tenant").get(pk=challenge.pk)
