"""A tenant with three users: ann organises, ben participates, zoe is not a member."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring.single import score_attempt
from tests.helpers.attempts import attempt_of
from tests.helpers.evaluations import stored_evaluation
from tests.notifications import notifications
from tests.pages.evaluated import INSTANCES, scored
from tests.people import organiser_of, signed_in, tenant

__all__ = ["notifications", "tenant"]

PASSWORD = "a long walk home"

Make = Callable[..., Challenge]
Submit = Callable[..., Attempt]


@pytest.fixture
def ann(tenant: Tenant) -> User:
    return organiser_of(tenant, "ann", password=PASSWORD, is_staff=True)


@pytest.fixture
def ben(tenant: Tenant) -> User:
    return User.objects.create_user("ben", password=PASSWORD)


@pytest.fixture
def zoe(db: None) -> User:
    return User.objects.create_user("zoe", password=PASSWORD)


@pytest.fixture
def make(tenant: Tenant, ann: User) -> Make:
    """Return a function that makes a challenge: `make("Sprint", "fastest", is_active=False)`."""

    def made(name: str, strategy: str = "fastest", **fields: Any) -> Challenge:
        given = {"name": name, "scoring_strategy": strategy, **fields}
        return create_challenge(tenant=tenant, user=ann, fields=given)

    return made


@pytest.fixture
def sprint(make: Make) -> Challenge:
    return make("Sprint")


@pytest.fixture
def cup(make: Make) -> Challenge:
    """A challenge of samples."""
    return make("Cup", "metric", metrics=["mean"], rank_by=[{"key": "mean"}])


@pytest.fixture
def sends_mail(settings: LazySettings) -> None:
    settings.SENDS_MAIL = True


@pytest.fixture
def own_folder(settings: LazySettings, tmp_path: Path) -> None:
    """A folder for the files of one test."""
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def weighted(make: Make) -> Challenge:
    """A challenge scored by a plugin, in the sandbox."""
    return make(
        "Prompt escape",
        "custom",
        scoring_entrypoint="scorers.weighted:WeightedScorer",
        scoring_config={"rating_weight": 15.0, "time_penalty": 0.5, "token_penalty": 0.02},
    )


@pytest.fixture
def submit(ben: User) -> Submit:
    """Submit and score an attempt of ben: `submit(challenge, "atlas", elapsed_ms=5)`."""

    def submitted(
        challenge: Challenge, participant: str, *, scored: bool = True, **metrics: Any
    ) -> Attempt:
        attempt = attempt_of(ben, challenge, participant, metrics={"succeeded": True, **metrics})
        if scored:
            assert score_attempt(attempt.pk)
        attempt.refresh_from_db()
        return attempt

    return submitted


@pytest.fixture
def as_ann(ann: User) -> Client:
    return signed_in(ann)


@pytest.fixture
def as_ben(ben: User) -> Client:
    return signed_in(ben)


@pytest.fixture
def as_zoe(zoe: User) -> Client:
    return signed_in(zoe)


@pytest.fixture
def verses(make: Make) -> Challenge:
    return make("Verses", "metric", rank_by=[{"key": "F1"}], text_metrics=["F1"])


@pytest.fixture
def attempt(verses: Challenge, submit: Submit) -> Attempt:
    attempt = submit(verses, "atlas", scored=False)
    stored_evaluation(attempt, INSTANCES)
    return scored(attempt)
