"""What migrations make of data that is there."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps

from leaderboard.models import Challenge, ScoringConfig, Tenant
from leaderboard.services.challenges import change_challenge
from tests.people import tenant

__all__ = ["tenant"]

pytestmark = pytest.mark.django_db


def test_existing_boards_declare_what_they_rank_by(tenant: Tenant) -> None:
    challenge = Challenge.objects.create(
        tenant=tenant, slug="old", name="Old", columns=[{"key": "cost"}, {"key": "mean:x"}]
    )
    config = ScoringConfig.objects.create(
        challenge=challenge,
        number=1,
        strategy="metric",
        metrics=["mean", {"type": "max", "name": "best"}],
        text_metrics=["CHRF", {"id": "F1", "name": "f"}],
        rank_by=[
            {"key": key, "direction": "desc"} for key in ("pass@1", "best", "f:f1", "mean_rewrad")
        ],
    )
    Challenge.objects.update(newest_config=config, shown_config=config)
    migration = import_module("leaderboard.migrations.0004_metric_rules")
    migration.declare_reported_values(apps, None)
    challenge = Challenge.objects.get()
    assert challenge.values == ["pass@1", "mean_rewrad", "cost"]
    change_challenge(challenge, user=None, fields={"counting": "latest"})
    change_challenge(
        challenge, user=None, fields={"values": ["pass@1"], "rank_by": [{"key": "pass@1"}]}
    )
    assert challenge.newest.ranked_keys == ["pass@1"]
