"""Error pages look like the site, and do not depend on anything that may be broken."""

from __future__ import annotations

import errno

import pytest
from django.db import OperationalError
from django.template.loader import render_to_string
from django.test import Client


@pytest.mark.django_db
def test_a_missing_page_is_not_found(client: Client) -> None:
    response = client.get("/nowhere/")
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "405", "500", "503", "507"])
def test_error_pages_can_be_rendered_without_a_request(name: str) -> None:
    html = render_to_string(f"{name}.html")
    assert f'class="code-number">{name[:3]}' in html
    assert 'href="/static/pages/pages.' in html


@pytest.mark.django_db
def test_an_internal_error_has_a_page(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr("leaderboard.pages.challenges.page_asked", fail)
    client.raise_request_exception = False
    response = client.get("/")
    assert response.status_code == 500
    assert "Something broke" in response.content.decode()
    assert "on purpose" not in response.content.decode()


@pytest.mark.django_db
def test_an_unavailable_database_has_a_page(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("could not connect to server")

    monkeypatch.setattr("leaderboard.pages.challenges.page_asked", fail)
    client.raise_request_exception = False
    response = client.get("/")
    assert (response.status_code, response["Retry-After"]) == (503, "10")
    assert "The database does not answer" in response.content.decode()


@pytest.mark.django_db
def test_a_full_disk_has_a_page(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("leaderboard.pages.challenges.page_asked", fail)
    client.raise_request_exception = False
    response = client.get("/")
    assert response.status_code == 507
    assert "The disk is full" in response.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/plugins/", "/sign-in/"])
def test_pages_refuse_other_methods(client: Client, path: str) -> None:
    assert client.delete(path).status_code == 405


POSTED = ("/theme/", "/sign-out/", "/c/sprint/code/", "/c/sprint/manage/copy/", "/language/")
"""Addresses of forms and buttons."""


@pytest.mark.django_db
@pytest.mark.parametrize("path", POSTED)
def test_opening_the_address_of_a_button_shows_a_page(client: Client, path: str) -> None:
    answer = client.get(path, headers={"accept-language": "de"})
    assert (answer.status_code, answer["Content-Language"]) == (405, "de")
    assert "POST" in answer["Allow"]
    assert "Das geht hier nicht" in answer.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/status.json"])
def test_programs_get_no_page_for_a_wrong_method(client: Client, path: str) -> None:
    answer = client.post(path)
    assert (answer.status_code, answer.content) == (405, b"")
