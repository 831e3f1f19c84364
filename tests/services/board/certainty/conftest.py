"""Boards whose certainty is computed at once, and challenges with one metric."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.board.certainty import computing
from leaderboard.services.challenges.challenges import create_challenge
from tests.services.evaluation.evaluating import Make


@pytest.fixture(autouse=True)
def _no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine every computation may be long."""
    monkeypatch.setattr(computing, "REST", 0)


@pytest.fixture
def cup(tenant: Tenant, alice: User) -> Make:
    """Return a function that makes a challenge that ranks by a metric: `cup("max", tasks=…)`."""

    def made(metric: Any = "mean", **fields: Any) -> Challenge:
        name = metric if isinstance(metric, str) else metric["type"]
        plain = {
            "name": "Cup",
            "scoring_strategy": "metric",
            "metrics": [metric],
            "rank_by": [{"key": name}],
        }
        return create_challenge(tenant=tenant, user=alice, fields=plain | fields)

    return made
