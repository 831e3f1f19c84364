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


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_choice_holds_on_every_page_until_it_is_taken_back(theme: str) -> None:
    client = Client(enforce_csrf_checks=True)
    assert chosen(client, theme, "/?q=atlas") == "/?q=atlas#theme"
    for path in ("/", "/plugins/", "/nowhere/"):
        page = client.get(path).content.decode()
        assert f'data-theme="{theme}"' in page
        assert f'<meta name="color-scheme" content="{theme}">' in page
        assert page.count('name="theme-color"') == 1
        assert f'value="{theme}" aria-pressed="true"' in page
    chosen(client, "system")
    assert "data-theme" not in client.get("/").content.decode()


def test_the_cookie_is_for_the_server_alone() -> None:
    client = Client()
    chosen(client, "dark")
    cookie = client.cookies["theme"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie["max-age"] == 365 * 24 * 3600


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("https://evil.example/a/", "/"),
        ("http://testserver//evil.example/", "/evil.example/"),
        ("http://testserver.evil.example/", "/"),
        ("data://testserver", "/"),
        ("http://testserver/c/sprint/?q=1&sort=-rating", "/c/sprint/?q=1&sort=-rating"),
    ],
)
def test_the_choice_leads_back_and_to_no_other_site(before: str, after: str) -> None:
    assert chosen(Client(), "dark", before) == f"{after}#theme"


def test_without_the_page_before_the_choice_leads_to_the_challenges() -> None:
    response = Client().post("/theme/", {"theme": "dark"})
    assert response.headers["Location"] == "/#theme"


def test_another_theme_is_refused() -> None:
    assert Client().post("/theme/", {"theme": "<b>"}).status_code == 400
    assert Client().get("/theme/").status_code == 405
    client = Client()
    client.cookies["theme"] = "sepia"
    assert "data-theme" not in client.get("/").content.decode()


def test_a_cached_board_has_the_theme_of_its_reader(weighted: Challenge, submit: Submit) -> None:
    submit(weighted, "atlas", rating=3)
    path = "/c/prompt-escape/"
    plain, dark = Client(), Client()
    chosen(dark, "dark")
    first = plain.get(path)
    again = dark.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 200
    assert 'data-theme="dark"' in again.content.decode()
    assert "data-theme" not in plain.get(path).content.decode()
    same = dark.get(path, headers={"If-None-Match": again.headers["ETag"]})
    assert same.status_code == 304
    for answer in (first, again, same):
        assert "Cookie" in answer.headers["Vary"]
