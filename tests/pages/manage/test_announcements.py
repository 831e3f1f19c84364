"""Organisers write announcements, and the board shows them."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Announcement, Challenge, User
from leaderboard.services.competition.organisers.announcements import announce
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("contexts")]
PAGE = "/c/sprint/manage/announcements/"


def test_what_is_written_is_on_the_board(sprint: Challenge, as_ann: Client, client: Client) -> None:
    assert "Announcements" not in words(get(client, "/c/sprint/"))
    sent = {"action": "save", "title": "Dates", "text": "It **moves**.\r\n\r\n<script>"}
    assert as_ann.post(PAGE, sent).status_code == 302
    for path in ("/c/sprint/", "/c/sprint/announcements/"):
        page = get(client, path)
        assert "<strong>moves</strong>" in page
        assert "&lt;script&gt;" in page
    announcement = Announcement.objects.get()
    assert announcement.text == "It **moves**.\n\n<script>"
    address = f"{PAGE}?announcement={announcement.pk}"
    assert 'value="Dates"' in get(as_ann, address)
    as_ann.post(address, {"action": "save", "title": "No dates", "text": ""})
    assert "No dates" in words(get(client, "/c/sprint/"))
    assert "changed" in words(get(client, "/c/sprint/"))
    assert as_ann.post(address, {"action": "remove"}).status_code == 302
    assert "No dates" not in words(get(client, "/c/sprint/"))
    assert as_ann.get(address).status_code == 404


def test_the_board_shows_the_newest_three_and_the_way_to_all(
    sprint: Challenge, ann: User, client: Client
) -> None:
    for number in range(3):
        announce(sprint, {"title": f"News {number}"}, by=ann)
    assert "All announcements" not in words(get(client, "/c/sprint/"))
    announce(sprint, {"title": "News 3"}, by=ann)
    board = words(get(client, "/c/sprint/"))
    places = [board.index(f"News {number}") for number in (3, 2, 1)]
    assert places == sorted(places)
    assert "News 0" not in board
    assert "All announcements" in board
    assert "News 0" in words(get(client, "/c/sprint/announcements/"))


def test_announcements_of_a_private_challenge_are_hidden(
    make: Make, ann: User, as_ben: Client, as_ann: Client
) -> None:
    announce(make("Sprint", visibility="private"), {"title": "Secret"}, by=ann)
    assert as_ben.get("/c/sprint/announcements/").status_code == 404
    assert "Secret" in words(get(as_ann, "/c/sprint/announcements/"))


def test_errors_are_at_their_fields(sprint: Challenge, as_ann: Client) -> None:
    for title in ("", "x" * 201):
        answer = as_ann.post(PAGE, {"action": "save", "title": title})
        assert answer.status_code == 422
        assert list(answer.context["form"].errors) == ["title"]
    assert as_ann.get(f"{PAGE}?announcement=x").status_code == 404
    assert as_ann.post(PAGE, {"action": "dance"}).status_code == 404
