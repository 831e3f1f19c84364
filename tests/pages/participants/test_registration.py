"""The page on which people register."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Challenge, Registration, User
from leaderboard.services.competition.participants.registration_rules import declare_rules
from tests.pages.reading import get, words
from tests.people import signed_in

pytestmark = pytest.mark.django_db
PAGE = "/c/sprint/register/"


def test_registration_requires_signing_in(client: Client, sprint: Challenge) -> None:
    assert client.get(PAGE).status_code == 302


def test_an_open_challenge_needs_no_registration(sprint: Challenge, ben: User) -> None:
    assert "need not register" in words(get(signed_in(ben), PAGE))


def test_the_form_asks_what_the_challenge_asks(sprint: Challenge, ben: User) -> None:
    rules = {
        "mode": "code",
        "code": "tulip",
        "terms": "Be **fair**.",
        "brackets": ["Pupils"],
        "questions": [{"key": "why", "label": "Why?", "required": True}],
    }
    declare_rules(sprint, rules)
    client = signed_in(ben)
    page = get(client, PAGE)
    assert "<strong>fair</strong>" in page
    assert "tulip" not in page
    entry = {"participant": "Atlas", "kind": "team", "code": "tulip", "bracket": "Pupils"}
    refused = client.post(PAGE, entry)
    assert refused.status_code == 422
    wrong = client.post(PAGE, {**entry, "code": "rose", "answer_why": "Fun", "accepts_terms": "on"})
    assert "got another" in wrong.content.decode()
    answer = client.post(PAGE, {**entry, "answer_why": "Fun", "accepts_terms": "on"})
    assert answer.status_code == 302
    registration = Registration.objects.get()
    assert registration.answers == {"why": "Fun"}
    assert (registration.bracket, registration.terms_version) == ("Pupils", 1)
    assert registration.participant.kind == "team"
    assert "as Atlas" in words(get(client, PAGE))


def test_answers_can_be_changed(sprint: Challenge, ben: User) -> None:
    declare_rules(sprint, {"questions": [{"key": "why", "label": "Why?"}]})
    client = signed_in(ben)
    for why in ("Fun", "Fame"):
        client.post(PAGE, {"participant": "Atlas", "kind": "person", "answer_why": why})
    assert Registration.objects.get().answers == {"why": "Fame"}
    assert 'value="Fame"' in get(client, PAGE)
