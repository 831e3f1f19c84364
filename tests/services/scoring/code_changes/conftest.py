"""Challenges whose scorer's file may change: empty, or with twenty scored attempts."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.models import Attempt, Challenge, Tenant
from leaderboard.services.challenges import rescores
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from tests.helpers.own_scorer import own
from tests.services.conftest import Submit
from tests.services.scoring.code_changes.changing import (
    Make,
    ScoreOne,
    change_during_a_rescore,
    gives,
    values,
)

__all__ = ["own"]


@pytest.fixture
def made(db: None, tenant: Tenant, own: Path) -> Make:
    """Return a function that makes a challenge with a scorer that gives 10 and this
    `on_code_change`."""

    def challenge(on_code_change: str) -> Challenge:
        fields = {
            "name": "Own",
            "scoring_strategy": "custom",
            "scoring_entrypoint": "own.scorer:Gives",
            "on_code_change": on_code_change,
        }
        return create_challenge(tenant=tenant, user=None, fields=fields)

    return challenge


@pytest.fixture
def score(submit: Submit) -> ScoreOne:
    """Return a function that submits an attempt and lets a worker try to score it."""

    def tried(challenge: Challenge, participant: str) -> Attempt:
        attempt = submit(challenge, participant)
        single.score_attempt(attempt.pk)
        return attempt

    return tried


@pytest.fixture
def changed(made: Make, own: Path, score: ScoreOne) -> Make:
    """Return a function that makes a challenge as `made` does, with a scored attempt of atlas,
    whose scorer gives 99 from then on."""

    def challenge(on_code_change: str) -> Challenge:
        scored_challenge = made(on_code_change)
        score(scored_challenge, "atlas")
        gives(own, 99.0)
        return scored_challenge

    return challenge


@pytest.fixture
def twenty(made: Make, submit: Submit, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Return a function that makes a challenge with twenty scored attempts in slices of four."""

    def challenge(on_code_change: str) -> Challenge:
        monkeypatch.setattr(rescores, "SMALLEST_SLICE", 4)
        scored_challenge = made(on_code_change)
        for number in range(20):
            submit(scored_challenge, f"p{number}")
        single.score_waiting()
        assert set(values(scored_challenge).values()) == {10.0}
        return scored_challenge

    return challenge


@pytest.fixture
def changing(twenty: Make, own: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Return a function that makes a challenge as `twenty` does, whose scorer gives 20 from then
    on, and 50 from the third batch of its rescore."""

    def challenge(on_code_change: str) -> Challenge:
        scored_challenge = twenty(on_code_change)
        gives(own, 20.0)
        change_during_a_rescore(monkeypatch, own)
        return scored_challenge

    return challenge


@pytest.fixture
def holding(made: Make, own: Path) -> Challenge:
    """A challenge that holds its attempts, as its scorer has changed since it was made."""
    challenge = made("hold")
    gives(own, 99.0)
    return challenge
