"""Final scores on private tasks under `hold`, when a plugin has changed before the phase ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.challenges.code_changes import decide
from leaderboard.services.scoring import single
from tests.services.challenges.splitting import close, compute_finals, rewards, split_challenge
from tests.services.scoring.code_changes.changing import gives, statuses

pytestmark = pytest.mark.django_db


@pytest.fixture
def closed(tenant: Tenant, own: Path, alice: User) -> Challenge:
    """A phase that has ended after the scorer has changed: one attempt is scored, one is held."""
    challenge = split_challenge(
        tenant,
        scoring_strategy="custom",
        rank_by=[],
        scoring_entrypoint="own.scorer:Gives",
        on_code_change="hold",
    )
    for name in ("atlas", "nova"):
        new = NewAttempt(participant=name, task_rewards=rewards(["t1"]))
        attempt, _ = submit_attempt(challenge=challenge, user=alice, new=new)
        single.score_attempt(attempt.pk)
        gives(own, 99.0)
    close(challenge)
    return challenge


def test_final_scores_wait_for_the_decision(closed: Challenge) -> None:
    assert statuses() == ["scored", "held"]
    assert compute_finals(closed) == 0
    assert statuses() == ["scored", "held"]
    assert closed.newest.number == 1
    decide(closed, "go_on")
    assert compute_finals(closed) == 0
    single.score_waiting()
    assert compute_finals(closed) == 1
    assert closed.shown.number == 2


def test_final_scores_by_other_code_wait_also_without_held_attempts(
    closed: Challenge, own: Path
) -> None:
    Attempt.objects.filter(status="held").delete()
    assert compute_finals(closed) == 0
    own.unlink()
    assert compute_finals(closed) == 0
    gives(own, 10.0)
    assert compute_finals(closed) == 1
