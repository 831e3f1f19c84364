"""A tenant, three users and challenges whose attempts are scored without a plugin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.services.challenges import create_challenge
from leaderboard.services.submitting import NewAttempt, submit_attempt
from tests.bells import bells
from tests.people import bob, tenant
from tests.services.evaluating import asked, make, no_turns, small_blocks

__all__ = ["asked", "bells", "bob", "make", "no_turns", "small_blocks", "tenant"]

Bring = Callable[..., Attempt]
Submit = Callable[..., Attempt]


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice")


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


@pytest.fixture
def bring(alice: User) -> Bring:
    """Submit whatever evidence as alice: `bring(challenge, task_rewards={…})`."""

    def submitted(challenge: Challenge, participant: str = "atlas", **evidence: Any) -> Attempt:
        new = NewAttempt(participant=participant, **evidence)
        return submit_attempt(challenge=challenge, user=alice, new=new)[0]

    return submitted
