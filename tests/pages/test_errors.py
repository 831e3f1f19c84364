"""Error pages look like the site, and do not depend on anything that may be broken."""

from __future__ import annotations

import errno

import pytest
from django.db import OperationalError
from django.template.loader import render_to_string
from django.test import Client

POSTED = ("/theme/", "/sign-out/", "/c/sprint/code/", "/c/sprint/manage/copy/", "/language/")
"""Addresses of forms and buttons."""


@pytest.mark.django_db
def test_a_missing_page_is_not_found(client: Client) -> None:
    response = client.get("/nowhere/")
    assert response.status_code == 404
    assert 'class="code-number">404' in response.content.decode()


def test_error_pages_can_be_rendered_without_a_request() -> None:
    for name in ("400", "403", "403_csrf", "404", "405", "500", "503", "507"):
        html = render_to_string(f"{name}.html")
        assert f'class="code-number">{name[:3]}' in html
        assert 'href="/static/pages/pages.' in html


@pytest.mark.django_db
def test_an_error_has_a_page(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.raise_request_exception = False
    for error, status in (
        (RuntimeError("broken on purpose"), 500),
        (OperationalError("could not connect on purpose"), 503),
        (OSError(errno.ENOSPC, "No space left on purpose"), 507),
    ):

        def fail(*_: object, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr("leaderboard.pages.challenges.list.page_asked", fail)
        response = client.get("/")
        assert response.status_code == status
        assert f'class="code-number">{status}' in response.content.decode()
        assert "on purpose" not in response.content.decode()
        assert response.get("Retry-After") == ("10" if status == 503 else None)


@pytest.mark.django_db
def test_opening_the_address_of_a_button_shows_a_page(client: Client) -> None:
    for path in POSTED:
        answer = client.get(path, headers={"accept-language": "de"})
        assert (answer.status_code, answer["Content-Language"]) == (405, "de"), path
        assert "POST" in answer["Allow"]
        assert 'class="code-number">405' in answer.content.decode()


@pytest.mark.django_db
def test_programs_get_no_page_for_a_wrong_method(client: Client) -> None:
    for path in ("/healthz", "/readyz", "/status.json"):
        answer = client.post(path)
        assert (answer.status_code, answer.content) == (405, b""), path
