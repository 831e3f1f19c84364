"""The reader's choice of the theme."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Challenge
from tests.pages.conftest import Submit

pytestmark = pytest.mark.django_db


def chosen(client: Client, theme: str, before: str = "/plugins/") -> str:
    headers = {"Referer": before if "//" in before else f"http://testserver{before}"}
    response = client.post("/theme/", {"theme": theme}, headers=headers)
    assert response.status_code == 302
    return str(response.headers["Location"])


def test_without_a_choice_the_system_decides() -> None:
    page = Client().get("/").content.decode()
    assert "data-theme" not in page
    assert '<meta name="color-scheme" content="light dark">' in page
    assert page.count('name="theme-color"') == 2
    assert 'value="system" aria-pressed="true"' in page


def test_a_choice_holds_on_every_page_until_it_is_taken_back(
    weighted: Challenge, submit: Submit
) -> None:
    submit(weighted, "atlas", rating=3)
    board = "/c/prompt-escape/"
    client, plain = Client(enforce_csrf_checks=True), Client()
    tag = {"If-None-Match": plain.get(board).headers["ETag"]}
    for theme in ("light", "dark"):
        assert chosen(client, theme, "/?q=atlas") == "/?q=atlas#theme"
        for path in ("/", "/plugins/", "/nowhere/", board):
            page = client.get(path, headers=tag).content.decode()
            assert f'data-theme="{theme}"' in page, path
            assert f'<meta name="color-scheme" content="{theme}">' in page
            assert page.count('name="theme-color"') == 1
            assert f'value="{theme}" aria-pressed="true"' in page
    cookie = client.cookies["theme"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert cookie["max-age"] == 365 * 24 * 3600
    assert "data-theme" not in plain.get(board).content.decode()
    chosen(client, "system")
    assert "data-theme" not in client.get("/").content.decode()


def test_the_choice_leads_back_and_to_no_other_site() -> None:
    for before, after in (
        ("https://evil.example/a/", "/"),
        ("http://testserver//evil.example/", "/evil.example/"),
        ("http://testserver.evil.example/", "/"),
        ("data://testserver", "/"),
        ("http://testserver/c/sprint/?q=1&sort=-rating", "/c/sprint/?q=1&sort=-rating"),
    ):
        assert chosen(Client(), "dark", before) == f"{after}#theme", before
    response = Client().post("/theme/", {"theme": "dark"})
    assert response.headers["Location"] == "/#theme"


def test_another_theme_is_refused() -> None:
    assert Client().post("/theme/", {"theme": "<b>"}).status_code == 400
    assert Client().get("/theme/").status_code == 405
    client = Client()
    client.cookies["theme"] = "sepia"
    assert "data-theme" not in client.get("/").content.decode()
