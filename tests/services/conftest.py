"""A tenant, three users and challenges whose attempts are scored without a plugin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leaderboard import queue
from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.services.challenges import create_challenge
from leaderboard.services.submitting import NewAttempt, submit_attempt

Submit = Callable[..., Attempt]


@pytest.fixture(autouse=True)
def bells(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What would have been rung. Services are tested without a broker; others test the bell."""
    rung: list[tuple[Any, ...]] = []

    def ring(task: str, *args: str | int) -> bool:
        rung.append((task.rsplit(".", 1)[-1], *args))
        return True

    monkeypatch.setattr(queue, "_ring", ring)
    return rung


@pytest.fixture
def tenant(db: None) -> Tenant:
    return Tenant.objects.create(slug="default", name="Default")


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def sprint(tenant: Tenant, alice: User) -> Challenge:
    return create_challenge(
        tenant=tenant, user=alice, fields={"name": "Sprint", "scoring_strategy": "fastest"}
    )


@pytest.fixture
def submit(alice: User) -> Submit:
    """Submit as alice: `submit(challenge, "atlas", succeeded=True, elapsed_ms=5)`."""

    def submitted(challenge: Challenge, participant: str, **metrics: Any) -> Attempt:
        new = NewAttempt(participant=participant, metrics={"succeeded": True, **metrics})
        return submit_attempt(challenge=challenge, user=alice, new=new)[0]

    return submitted
