"""Queries and forms are UTF-8, whatever encoding a request names."""

from __future__ import annotations

from typing import Final

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client
from django.urls import reverse

from leaderboard.form_encodings import reading_utf_8
from leaderboard.models import Challenge
from leaderboard.services.challenges.challenges import change_challenge
from tests.api.conftest import Api, refused

CODECS: Final = ("hex", "idna", "utf-16", "latin-1")
"""Codecs of Python. The first two decode no text, or not every text."""
NAMES: Final = ("utf-8", "UTF8", "us-ascii", "no-codec")
FORMS: Final = {
    "application/x-www-form-urlencoded": b"theme=dark",
    "multipart/form-data; boundary=XX": (
        b'--XX\r\nContent-Disposition: form-data; name="theme"\r\n\r\ndark\r\n--XX--\r\n'
    ),
}
FORM: Final = pytest.mark.parametrize("kind", FORMS)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _as_served(monkeypatch: pytest.MonkeyPatch) -> None:
    served = reading_utf_8(WSGIHandler())
    monkeypatch.setattr("django.test.client.WSGIRequest", served.request_class)


@pytest.mark.parametrize("codec", CODECS)
def test_a_query_is_utf_8(client: Client, sprint: Challenge, codec: str) -> None:
    change_challenge(sprint, user=None, fields={"name": "Größe"})
    for there in (reverse("challenges"), reverse("api:challenges")):
        asked = f"{there}?search=gr%C3%B6%C3%9Fe"
        answer = client.get(asked, headers={"Content-Type": f"text/plain; charset={codec}"})
        assert (answer.status_code, "Größe" in answer.content.decode()) == (200, True)


@FORM
@pytest.mark.parametrize("codec", CODECS)
def test_a_form_in_another_encoding_is_refused(codec: str, kind: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.cookies["csrftoken"] = "a" * 32
    for there in (reverse("theme"), reverse("login")):
        answer = client.generic("POST", there, FORMS[kind], f"{kind}; charset={codec}")
        assert answer.status_code == 400
        assert f"must be UTF-8; got &quot;{codec}&quot;" in answer.content.decode()


@FORM
@pytest.mark.parametrize("name", NAMES)
def test_a_form_in_utf_8_is_read(client: Client, name: str, kind: str) -> None:
    sent = f"{kind}; charset={name}"
    answer = client.generic("POST", reverse("theme"), FORMS[kind], sent)
    assert (answer.status_code, client.cookies["theme"].value) == (302, "dark")


@FORM
def test_the_api_refuses_it_in_json(submitter: Api, sprint: Challenge, kind: str) -> None:
    there = reverse("api:imports", args=["sprint"])
    sent = f"{kind}; charset=hex"
    answer = submitter.client.generic("POST", there, FORMS[kind], sent, headers=submitter.headers)
    refused(answer, 400, "invalid")
    assert answer.json()["error"]["message"].endswith('must be UTF-8; got "hex".')
