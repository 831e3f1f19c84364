"""Participants choose the attempts that count on the pages of their attempts."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Attempt, User
from leaderboard.services.scoring.single import score_waiting
from tests.helpers.attempts import attempt_of
from tests.helpers.phases import set_phase
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def attempt(make: Make, ben: User) -> Attempt:
    challenge = make("Sprint")
    set_phase(challenge, counting="chosen", counted=2)
    stored = attempt_of(ben, challenge, "boreas", metrics={"succeeded": True, "elapsed_ms": 5})
    score_waiting()
    return stored


def test_a_participant_chooses_an_attempt_and_takes_it_back(
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


def test_only_its_participant_chooses_an_attempt(attempt: Attempt, as_zoe: Client) -> None:
    answer = as_zoe.post(f"{attempt.get_absolute_url()}choice/", follow=True)
    text = words(answer.content.decode())
    assert "Only its participant" in text
    attempt.refresh_from_db()
    assert attempt.chosen_at is None
