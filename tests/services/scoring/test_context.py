"""The time of an attempt in a scorer's context is the server's, never what a participant says."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from leaderboard.models import Attempt, Challenge, Phase, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.evaluation.attempts_to_score import attempt_to_score, attempts_to_score
from leaderboard.services.scoring.outcomes import requests_for

pytestmark = pytest.mark.django_db

RECEIVED = datetime(2026, 3, 2, 9, 0, 0, 123_999, tzinfo=UTC)
CLOSES = datetime(2026, 3, 9, 9, tzinfo=UTC)


@pytest.mark.parametrize("closes", [CLOSES, None])
def test_claimed_and_loaded_attempts_have_the_same_times(
    sprint: Challenge, bob: User, closes: datetime | None
) -> None:
    Phase.objects.update(closes_at=closes)
    for name, forged in (("atlas", None), ("boreas", 0)):
        facts = {"succeeded": True, "created_at": forged}
        new = NewAttempt(name, metrics=facts)
        submit_attempt(challenge=sprint, user=bob, new=new, received_at=RECEIVED)
    stored = Attempt.objects.order_by("participant__slug")
    loaded = attempts_to_score(stored)
    claimed = [attempt_to_score(attempt) for attempt in stored]
    config = stored[0].scoring_config
    contexts = [
        request.ctx for attempts in (loaded, claimed) for request in requests_for(config, attempts)
    ]
    assert {context["received_at"] for context in contexts} == {1772442000123}
    assert {context["closes_at"] for context in contexts} == {closes and 1773046800000}
    assert [context["end_user_id"] for context in contexts] == 2 * ["atlas", "boreas"]
