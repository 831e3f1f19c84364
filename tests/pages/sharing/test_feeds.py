"""The Atom feeds of a challenge and of the site."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from leaderboard.models import Attempt, BoardCertainty, User
from leaderboard.rules.visibility.view import ViewSettings
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.board.certainty.computing import look_after_certainty
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.organisers.announcements import announce
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from tests.helpers.phases import set_phase
from tests.pages.conftest import Make, Submit
from tests.sight.world import World

SET = "a is the best so far:"
ATOM = "{http://www.w3.org/2005/Atom}"


def entries(client: Client, path: str) -> list[tuple[str, str]]:
    """Return kind and title of each entry, after checks that every feed must pass."""
    cache.clear()
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/atom+xml"
    root = ElementTree.fromstring(answer.content)
    elements = root.findall(f"{ATOM}entry")
    ids = [text(element, "id") for element in elements]
    assert len(ids) == len({*ids})
    moments = [datetime.fromisoformat(text(element, "updated")) for element in elements]
    assert moments == sorted(moments, reverse=True)
    assert all(moment.tzinfo for moment in moments)
    return [(category(element), text(element, "title")) for element in elements]


def text(element: Any, name: str) -> str:
    return str(element.find(f"{ATOM}{name}").text)


def category(element: Any) -> str:
    return str(element.find(f"{ATOM}category").get("term"))


def test_a_feed_tells_of_attempts_records_and_announcements(
    client: Client, make: Make, submit: Submit, ann: User
) -> None:
    sprint = make("Sprint")
    for minutes, (name, elapsed) in enumerate({"a": 900, "b": 950, "c": 100}.items()):
        attempt = submit(sprint, name, elapsed_ms=elapsed)
        at = timezone.now() - timedelta(minutes=60 - minutes)
        Attempt.objects.filter(pk=attempt.pk).update(submitted_at=at)
    announce(sprint, {"title": "A & B", "text": "*Hello* <script>"}, by=ann)
    listed = entries(client, "/c/sprint/feed.atom")
    assert listed == [
        ("announcement", "A & B"),
        ("best", "c is the best so far: 100 ms (Time, reported)"),
        ("scored", "b reaches 950 ms (Time, reported)"),
        ("best", f"{SET} 900 ms (Time, reported)"),
    ]
    body = client.get("/c/sprint/feed.atom").content.decode()
    assert "&lt;em&gt;Hello&lt;/em&gt;" in body
    assert "<script>" not in body


def test_the_feed_of_the_site_names_challenges(
    client: Client, make: Make, submit: Submit, ann: User
) -> None:
    submit(make("Sprint"), "a", elapsed_ms=900)
    submit(make("Curtain", visibility="private"), "b", elapsed_ms=900)
    submit(make("Shelf", visibility="unlisted"), "c", elapsed_ms=900)
    hidden = make("Quay")
    submit(hidden, "d", elapsed_ms=900)
    set_phase(hidden, board="own")
    announce(hidden, {"title": "Hello", "text": ""}, by=ann)
    assert entries(client, "/feed.atom") == [
        ("announcement", "Quay: Hello"),
        ("best", f"Sprint: {SET} 900 ms (Time, reported)"),
    ]


def test_what_is_no_longer_public_leaves_the_feed_of_the_site_at_once(
    client: Client, make: Make, submit: Submit, ann: User, ben: User
) -> None:
    def feed() -> str:
        return client.get("/feed.atom").content.decode()

    sprint = make("Sprint")
    submit(sprint, "atlas", elapsed_ms=900)
    for visibility in ("private", "unlisted"):
        change_challenge(sprint, user=ann, fields={"visibility": "public"})
        assert "Sprint" in feed()
        change_challenge(sprint, user=ann, fields={"visibility": visibility})
        assert "Sprint" not in feed(), visibility
    change_challenge(sprint, user=ann, fields={"visibility": "public"})
    assert "atlas" in feed()
    erase_account(ben)
    assert "atlas" not in feed()


def test_the_feed_of_the_site_marks_the_leading_records(
    client: Client, make: Make, submit: Submit, django_assert_max_num_queries: Any
) -> None:
    sprint, dash = make("Sprint"), make("Dash")
    for name, elapsed in (("a", 900), ("b", 950), ("c", 100)):
        submit(sprint, name, elapsed_ms=elapsed)
    for name in ("d", "e"):
        submit(dash, name, elapsed_ms=50)
    challenges = dict(title.split(": ", 1)[::-1] for _kind, title in entries(client, "/feed.atom"))
    assert challenges["c is the best so far: 100 ms (Time, reported)"] == "Sprint"
    assert len([title for title in challenges if "best so far" in title]) == 1, (
        "of a tie, nobody knows"
    )
    cache.clear()
    with django_assert_max_num_queries(9):
        client.get("/feed.atom")


def test_a_feed_tells_of_a_rescore_and_of_ranks(
    client: Client, make: Make, submit: Submit, ann: User
) -> None:
    sprint = make("Sprint", scoring_strategy="fastest")
    old = submit(sprint, "a", elapsed_ms=900)
    other = submit(sprint, "b", elapsed_ms=950)
    ago = timezone.now() - timedelta(days=9)
    Attempt.objects.filter(pk__in=[old.pk, other.pk]).update(submitted_at=ago)
    submit(sprint, "b", elapsed_ms=100)
    while look_after_certainty():
        pass
    assert BoardCertainty.objects.exists()
    kinds = [kind for kind, _ in entries(client, "/c/sprint/feed.atom")]
    assert "ranks" in kinds
    body = client.get("/c/sprint/feed.atom").content.decode()
    assert "▲1 b, now 1" in body
    assert "▼1 a, now 2" in body


def test_a_feed_tells_of_versions_that_the_board_has_shown(
    client: Client, make: Make, submit: Submit, ann: User
) -> None:
    """Of two edits and a rescore, the board shows only the version after the second edit."""
    sprint = make("Sprint", scoring_strategy="fastest")
    submit(sprint, "a", elapsed_ms=900)
    for timeout_ms in (1000, 2000):
        change_challenge(sprint, user=ann, fields={"timeout_ms": timeout_ms})
        start_rescore(sprint, user=ann)
    config, _ = start_rescore(sprint, user=ann)
    work_on(config.pk)
    for path in ("/c/sprint/feed.atom", "/feed.atom"):
        titles = [title for _, title in entries(client, path) if "version" in title]
        assert len(titles) == 1, path
        assert "version 3" in titles[0]


@pytest.mark.django_db
def test_a_hidden_board_has_no_feed() -> None:
    world = World()
    for settings in (ViewSettings(board="participants"), ViewSettings(scores="hidden")):
        world.show(settings, "open")
        for reader in ("anyone", "participant", "organiser"):
            assert world.clients[reader].get("/c/cup/feed.atom").status_code == 404


def test_a_reader_of_the_current_feed_gets_a_304(client: Client, make: Make) -> None:
    make("Sprint")
    for path in ("/c/sprint/feed.atom", "/feed.atom"):
        assert entries(client, path) == [], "an empty feed is a feed"
        etag = client.get(path).headers["ETag"]
        assert client.get(path, headers={"If-None-Match": etag}).status_code == 304
