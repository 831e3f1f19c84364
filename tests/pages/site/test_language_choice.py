"""The reader's choice of the language, and the language of mail."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import translation

from leaderboard.models import Challenge, User
from leaderboard.services.competition.mail.notices import tell_of_role
from tests.pages.conftest import Submit
from tests.people import bob, signed_in

__all__ = ["bob"]

pytestmark = pytest.mark.django_db
GERMAN = {"Accept-Language": "de-AT,de;q=0.9"}


def chosen(client: Client, language: str, before: str = "/plugins/") -> str:
    referer = f"http://testserver{before}" if before.startswith("/") else before
    headers = {"Referer": referer}
    response = client.post("/language/", {"language": language}, headers=headers)
    assert response.status_code == 302
    return str(response.headers["Location"])


def test_the_browser_chooses_first() -> None:
    page = Client().get("/", headers=GERMAN).content.decode()
    assert '<html lang="de">' in page
    assert "Wettbewerbe" in page
    assert 'value="de" lang="de" translate="no" aria-pressed="true">Deutsch<' in page
    assert 'value="en" lang="en" translate="no" aria-pressed="false">English<' in page


def test_a_choice_holds_on_every_page() -> None:
    client = Client(enforce_csrf_checks=True, headers=GERMAN)
    assert chosen(client, "en", "/?q=atlas") == "/?q=atlas#language"
    for path in ("/", "/plugins/", "/nowhere/"):
        assert '<html lang="en">' in client.get(path).content.decode()
    chosen(client, "de")
    assert '<html lang="de">' in client.get("/nowhere/").content.decode()


def test_the_cookie_is_for_the_server_alone() -> None:
    client = Client()
    chosen(client, "de")
    cookie = client.cookies["django_language"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie["max-age"] == 365 * 24 * 3600


def test_the_choice_leads_to_no_other_site() -> None:
    for before in ("https://evil.example/", "javascript:1", ""):
        assert chosen(Client(), "de", before) == "/#language", before


def test_another_language_is_refused() -> None:
    assert Client().post("/language/", {"language": "xx"}).status_code == 400
    assert Client().get("/language/").status_code == 405


def test_with_one_language_there_is_nothing_to_choose(settings: Any) -> None:
    settings.LANGUAGES = settings.LANGUAGES[:1]
    assert 'id="language"' not in Client().get("/").content.decode()


def test_a_cached_board_has_the_language_of_its_reader(weighted: Challenge, submit: Submit) -> None:
    submit(weighted, "atlas", rating=3)
    path = "/c/prompt-escape/"
    english, german = Client(), Client()
    chosen(german, "de")
    first = english.get(path)
    again = german.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 200
    assert '<html lang="de">' in again.content.decode()
    assert '<html lang="en">' in english.get(path).content.decode()
    same = german.get(path, headers={"If-None-Match": again.headers["ETag"]})
    assert same.status_code == 304
    for answer in (first, again, same):
        assert {"Accept-Language", "Cookie"} <= set(answer.headers["Vary"].split(", "))


def test_an_account_keeps_the_language_for_mail(bob: User) -> None:
    client = signed_in(bob)
    chosen(client, "de")
    bob.refresh_from_db()
    assert bob.language == "de"
    bob.set_password("wisteria-lamp-41")
    bob.save()
    given = {"username": "bob", "password": "wisteria-lamp-41"}
    assert Client().post("/sign-in/", given).status_code == 302
    bob.refresh_from_db()
    assert bob.language == "en"


def test_mail_is_in_the_language_of_its_receiver(
    weighted: Challenge, bob: User, django_capture_on_commit_callbacks: Any
) -> None:
    for language, subject in (
        ("de", "Sie haben eine Rolle"),
        ("", "you have a role"),
    ):
        bob.email, bob.language = "bob@podium.example", language
        bob.save()
        mail.outbox.clear()
        with translation.override("de"), django_capture_on_commit_callbacks(execute=True):
            tell_of_role(weighted, bob, "reviewer", by=None)
        assert [message.subject for message in mail.outbox] == [f"Prompt escape: {subject}"]
    assert translation.get_language() == "en"


def test_a_lost_password_is_answered_in_the_language_of_the_account(bob: User) -> None:
    bob.email, bob.language = "bob@podium.example", "de"
    bob.save()
    mail.outbox.clear()
    Client().post("/password/reset/", {"who": "bob"})
    (message,) = mail.outbox
    assert "neues Passwort" in message.subject
    assert "drei Stunden" in message.body
