"""Requests that need what another request deletes at the same moment."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from leaderboard.api.views import base
from leaderboard.models import Attempt, Challenge, User
from leaderboard.pages.board import page
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board import boards
from leaderboard.services.challenges import challenges, samples
from leaderboard.services.challenges.challenges import delete_challenge
from tests.api.conftest import ME, METRICS, Api, refused

pytestmark = pytest.mark.django_db(transaction=True)

NEWS = {"title": "Dates", "text": "Soon."}
PERIOD = {"slug": "first", "closes_at": "2030-01-01T00:00"}
REQUESTS = {
    "attempts/": ("post", ME),
    "attempts/bulk/": ("post", {"attempts": [ME]}),
    "announcements/": ("post", NEWS),
    "organisers/bob/": ("put", {"role": "reviewer"}),
    "registration/": ("post", {"participant": "atlas"}),
    "rescore/": ("post", None),
    "": ("patch", {"phases": [PERIOD]}),
    "leaderboard/": ("get", None),
    "leaderboard.csv": ("get", None),
}


@pytest.fixture
def found_before(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Do something just after the API has found a challenge for the first time."""

    def then(act: Callable[[], object]) -> None:
        first, left = base.CALLED.first, [act]

        def first_then_act(**values: Any) -> Challenge | None:
            challenge = first(**values)
            while left:
                left.pop()()
            return challenge

        monkeypatch.setattr(base.CALLED, "first", first_then_act)

    return then


@pytest.mark.parametrize("path", REQUESTS)
def test_requests_to_a_challenge_that_is_deleted_meanwhile_are_refused(
    organiser: Api, sprint: Challenge, bob: User, found_before: Any, path: str
) -> None:
    method, body = REQUESTS[path]
    found_before(lambda: delete_challenge(Challenge.objects.get(pk=sprint.pk)))
    if method == "get":
        answer = organiser.get(f"challenges/sprint/{path}")
    else:
        sent = b"" if body is None else json.dumps(body).encode()
        answer = organiser.send(method, f"challenges/sprint/{path}", sent)
    assert answer.status_code in (404, 409), answer.content


def test_the_page_of_a_challenge_that_is_deleted_meanwhile_is_not_found(
    sprint: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown_boards = boards.shown_boards

    def deleted(challenge: Challenge) -> Any:
        delete_challenge(Challenge.objects.get(pk=challenge.pk))
        return shown_boards(challenge)

    monkeypatch.setattr(page, "shown_boards", deleted)
    client = Client(raise_request_exception=False)
    assert client.get("/c/sprint/").status_code == 404


def test_an_account_that_is_deleted_meanwhile_submits_nothing(
    submitter: Api, sprint: Challenge, bob: User, found_before: Any
) -> None:
    found_before(lambda: erase_account(User.objects.get(pk=bob.pk)))
    refused(submitter.post("challenges/sprint/attempts/", ME), 409, "conflict")
    assert not Attempt.objects.exists()


def test_a_challenge_that_gets_its_first_attempt_meanwhile_is_not_deleted(
    organiser: Api, sprint: Challenge, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = samples.hold_sample

    def submitted(challenge: Challenge) -> None:
        new = NewAttempt(participant="atlas", metrics=METRICS)
        submit_attempt(challenge=sprint, user=bob, new=new)
        hold(challenge)

    monkeypatch.setattr(challenges, "hold_sample", submitted)
    refused(organiser.delete("challenges/sprint/"), 409, "conflict")
