"""Challenges of several tests of scoring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.challenges.challenges import create_challenge

ImportHistory = Callable[..., None]


@pytest.fixture
def import_history(alice: User) -> ImportHistory:
    """Return a function that imports attempts as an organiser: `import_history(challenge, 20)`.

    The first one takes 100 ms, each further one a millisecond more.
    """

    def imported(challenge: Challenge, count: int, names: str = "p", **evidence: Any) -> None:
        news = [
            NewAttempt(f"{names}{at % 7}", {"succeeded": True, "elapsed_ms": 100 + at}, **evidence)
            for at in range(count)
        ]
        accepted = submit_many(challenge=challenge, user=alice, news=news, organiser=True).accepted
        assert len(accepted) == count

    return imported


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
