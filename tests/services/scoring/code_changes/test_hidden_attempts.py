"""What readers who may not know of the attempts of others learn of held and rescored ones."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Challenge, User
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.challenges.rescores import begin_rescore
from leaderboard.services.scoring import single
from tests.people import organiser_of, signed_in
from tests.services.conftest import Submit
from tests.services.scoring.code_changes.changing import Make

pytestmark = pytest.mark.django_db
BOARD = "/api/v1/challenges/own/leaderboard/"


def read(client: Client) -> tuple[dict[str, Any], str]:
    """The board over the API, and its page."""
    return client.get(BOARD).json(), client.get("/c/own/").content.decode()


@pytest.fixture
def challenge(changed: Make, submit: Submit) -> Challenge:
    """The board is public, the attempts are not; one is scored, and two of alice are held."""
    changed_challenge = changed("hold")
    phases = [{"slug": "main", "attempts": "own"}]
    change_challenge(changed_challenge, user=None, fields={"phases": phases})
    changed_challenge = Challenge.objects.get()
    for name in ("borea", "cora"):
        submit(changed_challenge, name)
    single.score_waiting()
    return changed_challenge


def test_hidden_attempts_that_are_held_are_not_counted(challenge: Challenge, alice: User) -> None:
    ann = organiser_of(challenge.tenant, "ann")
    for client, held in ((Client(), 0), (signed_in(alice), 2), (signed_in(ann), 2)):
        body, page = read(client)
        assert body["held"] == held
        assert ("2 attempts wait" in page) is bool(held)


def test_hidden_attempts_that_are_scored_again_are_not_counted(challenge: Challenge) -> None:
    begin_rescore(challenge)
    ann = organiser_of(challenge.tenant, "ann")
    body, page = read(signed_in(ann))
    assert body["rescoring"] == {"scoring_version": 2, "done": 0, "total": 3}
    assert "0 of 3 done" in page
    for address in ("/c/own/", "/c/own/rules/"):
        page = Client().get(address).content.decode()
        assert "of 3 done" not in page
        assert "scored again" in page
    body, page = read(Client())
    assert body["rescoring"] is None
    assert body["newest_scoring_version"] == 2
