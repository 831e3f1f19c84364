"""Two tenants with an organiser each, an operator, and staff who organise nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Attempt, Challenge, Membership, Tenant, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring.single import score_attempt
from tests.metric_scripts import Gate, wheel_of_sevens
from tests.notifications import notifications
from tests.people import organiser_of, signed_in
from tests.plugin_files import LIMITED, LIMITED_FILE, folder_with, plugins

__all__ = ["notifications"]

Submit = Callable[..., Attempt]

WEIGHTED = "scorers.weighted:WeightedScorer"


@pytest.fixture(autouse=True)
def _contexts(contexts: None) -> None:
    """Many tests of the admin read the contexts of its templates."""


@pytest.fixture
def north(db: None) -> Tenant:
    return Tenant.objects.create(slug="north", name="North Lab")


@pytest.fixture
def south(db: None) -> Tenant:
    return Tenant.objects.create(slug="south", name="South Lab")


@pytest.fixture
def nora(north: Tenant) -> User:
    return organiser_of(north, "nora", is_staff=True)


@pytest.fixture
def sven(south: Tenant) -> User:
    return organiser_of(south, "sven", is_staff=True)


@pytest.fixture
def rita(db: None) -> User:
    return User.objects.create_superuser("rita")


@pytest.fixture
def paul(north: Tenant) -> User:
    """Staff and a member of the north, but not an organiser."""
    user = User.objects.create_user("paul", is_staff=True)
    Membership.objects.create(tenant=north, user=user)
    return user


@pytest.fixture
def as_nora(nora: User) -> Client:
    return signed_in(nora)


@pytest.fixture
def as_sven(sven: User) -> Client:
    return signed_in(sven)


@pytest.fixture
def as_rita(rita: User) -> Client:
    return signed_in(rita)


@pytest.fixture
def as_paul(paul: User) -> Client:
    return signed_in(paul)


@pytest.fixture
def sprint(north: Tenant) -> Challenge:
    fields = {"name": "Sprint", "scoring_strategy": "fastest"}
    return create_challenge(tenant=north, user=None, fields=fields)


@pytest.fixture
def escape(north: Tenant) -> Challenge:
    """A challenge scored by the weighted scorer, with one of its settings given."""
    fields = {
        "name": "Prompt escape",
        "scoring_strategy": "custom",
        "scoring_entrypoint": WEIGHTED,
        "scoring_config": {"token_penalty": 0.02},
    }
    return create_challenge(tenant=north, user=None, fields=fields)


@pytest.fixture
def limits() -> Iterator[None]:
    """Install the scorer `LIMITED`, whose settings have limits."""
    with folder_with({"own/limited.py": LIMITED_FILE}) as folder, plugins(folder, "own"):
        yield


@pytest.fixture
def limited(north: Tenant, limits: None) -> Challenge:
    fields = {
        "name": "Limited",
        "scoring_strategy": "custom",
        "scoring_entrypoint": LIMITED,
        "scoring_config": {"token_penalty": 0.02},
    }
    return create_challenge(tenant=north, user=None, fields=fields)


@pytest.fixture
def submit(nora: User) -> Submit:
    """Submit and score an attempt: `submit(challenge, "atlas", elapsed_ms=5)`."""

    def submitted(challenge: Challenge, participant: str, **metrics: Any) -> Attempt:
        new = NewAttempt(participant=participant, metrics={"succeeded": True, **metrics})
        attempt, _ = submit_attempt(challenge=challenge, user=nora, new=new)
        score_attempt(attempt.pk)
        attempt.refresh_from_db()
        return attempt

    return submitted


@pytest.fixture
def gate(scripts_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    wheel_of_sevens(tmp_path, monkeypatch)
    return Gate(scripts_dir, monkeypatch)
