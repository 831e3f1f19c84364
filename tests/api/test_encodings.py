"""Queries and forms are UTF-8, whatever encoding a request names."""

from __future__ import annotations

from typing import Final

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client
from django.urls import reverse

from leaderboard.http.form_encodings import reading_utf_8
from leaderboard.models import Challenge
from leaderboard.services.challenges.challenges import change_challenge
from tests.api.conftest import Api, refused

CODECS: Final = ("hex", "idna", "utf-16", "latin-1")
"""Codecs of Python. The first two decode no text, or not every text."""
FORMS: Final = {
    "application/x-www-form-urlencoded": b"theme=dark",
    "multipart/form-data; boundary=XX": (
        b'--XX\r\nContent-Disposition: form-data; name="theme"\r\n\r\ndark\r\n--XX--\r\n'
    ),
}
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _as_served(monkeypatch: pytest.MonkeyPatch) -> None:
    served = reading_utf_8(WSGIHandler())
    monkeypatch.setattr("django.test.client.WSGIRequest", served.request_class)


def test_a_query_is_utf_8(client: Client, sprint: Challenge) -> None:
    change_challenge(sprint, user=None, fields={"name": "Größe"})
    for path in (reverse("challenges"), reverse("api:challenges")):
        for codec in CODECS:
            kind = {"Content-Type": f"text/plain; charset={codec}"}
            answer = client.get(f"{path}?search=gr%C3%B6%C3%9Fe", headers=kind)
            assert answer.status_code == 200, codec
            assert "Größe" in answer.content.decode(), codec


def test_a_form_in_another_encoding_is_refused() -> None:
    client = Client(enforce_csrf_checks=True)
    client.cookies["csrftoken"] = "a" * 32
    for path in (reverse("theme"), reverse("login")):
        for kind, body in FORMS.items():
            for codec in CODECS:
                answer = client.generic("POST", path, body, f"{kind}; charset={codec}")
                assert answer.status_code == 400, codec
                assert f"UTF-8; got &quot;{codec}&quot;" in answer.content.decode()


def test_a_form_in_utf_8_is_read() -> None:
    for kind, body in FORMS.items():
        for name in ("utf-8", "UTF8", "us-ascii", "no-codec"):
            client = Client()
            answer = client.generic("POST", reverse("theme"), body, f"{kind}; charset={name}")
            assert (answer.status_code, client.cookies["theme"].value) == (302, "dark"), name


def test_the_api_refuses_it_in_json(submitter: Api, sprint: Challenge) -> None:
    for kind, body in FORMS.items():
        answer = submitter.send("post", "challenges/sprint/imports/", body, f"{kind}; charset=hex")
        assert 'UTF-8; got "hex"' in refused(answer, 400, "invalid")["message"]
