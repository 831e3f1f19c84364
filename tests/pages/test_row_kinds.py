"""The board shows rows out of the ranking, and lets its readers hide or choose them."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Challenge, User
from leaderboard.services.scoring.single import score_waiting
from tests.helpers.attempts import attempt_of
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sprint(make: Make, ben: User) -> Challenge:
    challenge = make("Sprint")
    for who, elapsed in (("atlas", 2), ("boreas", 1), ("comet", 3)):
        attempt_of(ben, challenge, who, metrics={"succeeded": True, "elapsed_ms": elapsed})
    score_waiting()
    return challenge


def test_an_organiser_makes_a_baseline(client: Client, sprint: Challenge, as_ann: Client) -> None:
    assert 'name="kinds"' not in get(client, "/c/sprint/")
    sent = {"action": "row", "participant": "atlas", "row": "baseline"}
    answer = as_ann.post("/c/sprint/people/", sent, follow=True)
    assert answer.status_code == 200
    text = words(get(client, "/c/sprint/"))
    assert text.index("boreas") < text.index("atlas Baseline") < text.index("comet")
    assert 'name="kinds"' in get(client, "/c/sprint/")
    assert "atlas" not in words(get(client, "/c/sprint/?kinds=ranked"))
    only = words(get(client, "/c/sprint/?kinds=baseline,human,out_of_competition"))
    assert "atlas Baseline" in only
    assert "boreas" not in only
    assert "atlas Baseline" in words(get(client, "/c/sprint/?sort=-elapsed_ms"))
    about = words(get(client, "/c/sprint/p/atlas/"))
    assert "Baseline" in about
