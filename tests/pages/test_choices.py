"""Participants choose the attempts that count on the pages of their attempts."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Attempt, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring.single import score_waiting
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def attempt(make: Make, ben: User) -> Attempt:
    challenge = make("Sprint")
    phases = [{"counting": "chosen", "counted": 2}]
    change_challenge(challenge, user=None, fields={"phases": phases})
    new = NewAttempt(participant="boreas", metrics={"succeeded": True, "elapsed_ms": 5})
    stored = submit_attempt(challenge=challenge, user=ben, new=new)[0]
    score_waiting()
    return stored


def test_a_participant_chooses_and_takes_it_back(
    client: Client, attempt: Attempt, as_ben: Client
) -> None:
    address = attempt.get_absolute_url()
    assert "0 of 2 chosen" in words(get(as_ben, address))
    assert "Choose this attempt" not in words(get(client, address))
    text = words(as_ben.post(f"{address}choice/", follow=True).content.decode())
    assert "1 of 2 chosen" in text
    assert "chosen" in words(get(as_ben, "/c/sprint/p/boreas/"))
    text = words(as_ben.post(f"{address}choice/", {"remove": ""}, follow=True).content.decode())
    assert "0 of 2 chosen" in text
    assert "up to 2 attempts" in words(get(client, "/c/sprint/rules/"))


def test_others_get_an_error(attempt: Attempt, as_zoe: Client) -> None:
    answer = as_zoe.post(f"{attempt.get_absolute_url()}choice/", follow=True)
    text = words(answer.content.decode())
    assert "Only its participant" in text
    attempt.refresh_from_db()
    assert attempt.chosen_at is None
