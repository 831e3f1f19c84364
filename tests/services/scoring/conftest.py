"""Challenges of several tests of scoring."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge


@pytest.fixture
def north(alice: User) -> Challenge:
    """A challenge of another tenant."""
    tenant = Tenant.objects.create(slug="north", name="North")
    fields = {"name": "North", "scoring_strategy": "fastest"}
    return create_challenge(tenant=tenant, user=alice, fields=fields)


@pytest.fixture
def jobs(tenant: Tenant, alice: User) -> Challenge:
    """A challenge that ranks by the mean of samples."""
    fields: dict[str, Any] = {"name": "Jobs", "scoring_strategy": "metric", "metrics": ["mean"]}
    fields |= {"rank_by": [{"key": "mean", "direction": "desc"}], "tasks": [{"name": "a"}]}
    return create_challenge(tenant=tenant, user=alice, fields=fields)
