"""Limits on waiting attempts: of one participant, of one tenant, and when clients may try again."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt, submit_many
from leaderboard.services.attempts.waiting import RETRY_AFTER
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring import single
from tests.services.conftest import Submit


def bring(challenge: Challenge, user: User, *participants: str, organiser: bool = False) -> int:
    news = [NewAttempt(name, {"elapsed_ms": 5}) for name in participants]
    found = submit_many(challenge=challenge, user=user, news=news, organiser=organiser)
    return len(found.accepted)


def throttled(work: Any, *args: Any) -> str:
    with pytest.raises(ServiceError) as caught:
        work(*args)
    assert (caught.value.code, caught.value.retry_after) == ("throttled", RETRY_AFTER)
    return caught.value.message


def test_waiting_attempts_of_a_participant_are_limited(
    sprint: Challenge, submit: Submit, alice: User, settings: Any
) -> None:
    settings.MAX_WAITING = 3
    for _ in range(3):
        submit(sprint, "atlas")
    message = throttled(submit, sprint, "atlas")
    assert message == (
        "At most 3 attempts of a participant may wait to be scored. Try again in a while."
    )
    submit(sprint, "boreas")
    assert single.score_next()
    submit(sprint, "boreas")
    assert Attempt.objects.count() == 5


def test_each_line_of_a_batch_counts(sprint: Challenge, alice: User, settings: Any) -> None:
    settings.MAX_WAITING = 3
    throttled(bring, sprint, alice, *["atlas"] * 4)
    assert not Attempt.objects.exists(), "nothing of it is taken"
    assert bring(sprint, alice, "atlas", "boreas", "atlas", "boreas", "atlas") == 5
    throttled(bring, sprint, alice, "cirrus", "atlas")


def test_waiting_attempts_of_a_tenant_are_limited(
    sprint: Challenge, submit: Submit, alice: User, settings: Any
) -> None:
    settings.MAX_WAITING_TENANT = 4
    assert bring(sprint, alice, "a", "b", "c") == 3
    throttled(bring, sprint, alice, "d", "e")
    assert bring(sprint, alice, "d") == 1
    assert "an organisation" in throttled(submit, sprint, "e")
    other = Tenant.objects.create(slug="other", name="Other")
    fields = {"name": "Elsewhere", "scoring_strategy": "fastest"}
    submit(create_challenge(tenant=other, user=alice, fields=fields), "e")


def test_organisers_are_exempt(sprint: Challenge, alice: User, settings: Any) -> None:
    settings.MAX_WAITING = settings.MAX_WAITING_TENANT = 1
    assert bring(sprint, alice, *["atlas"] * 5, organiser=True) == 5
    for _ in range(2):
        new = NewAttempt("atlas", {"elapsed_ms": 5})
        submit_attempt(challenge=sprint, user=alice, new=new, organiser=True)


def test_history_does_not_count_towards_the_limits(
    sprint: Challenge, submit: Submit, alice: User, settings: Any
) -> None:
    settings.MAX_WAITING = settings.MAX_WAITING_TENANT = 2
    bring(sprint, alice, *["atlas"] * 5, organiser=True)
    submit(sprint, "atlas")
    submit(sprint, "atlas")
    throttled(submit, sprint, "atlas")
