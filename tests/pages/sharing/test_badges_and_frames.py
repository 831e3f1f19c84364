"""Badges, framed boards, oEmbed, what pages say of themselves, and rows for scripts elsewhere."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from leaderboard.models import Challenge, Participant, User
from leaderboard.pages.sharing.badge import badge_svg
from leaderboard.rules.visibility.view import ViewSettings
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.participants.names import rename
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words
from tests.sight.world import World

BADGE = "/c/sprint/p/atlas/badge.svg"


@pytest.fixture
def sprint(make: Make, submit: Submit) -> Challenge:
    sprint = make("Sprint")
    submit(sprint, "atlas", elapsed_ms=900)
    submit(sprint, "borealis", elapsed_ms=100)
    return sprint


@pytest.fixture
def framed(sprint: Challenge, ann: User) -> Challenge:
    change_challenge(sprint, user=ann, fields={"is_embeddable": True})
    return sprint


def test_a_badge_has_rank_and_value_in_english_for_all_readers(
    client: Client, sprint: Challenge, submit: Submit
) -> None:
    answer = client.get(BADGE)
    assert "Sprint: #2 · 900 ms" in answer.content.decode()
    assert answer.headers["Content-Type"] == "image/svg+xml"
    assert answer.headers["Cache-Control"] == "public, max-age=300"
    same = client.get(BADGE, headers={"If-None-Match": answer.headers["ETag"]})
    assert same.status_code == 304
    assert client.get(BADGE, headers={"Accept-Language": "de"}).content == answer.content
    submit(sprint, "cirrus", succeeded=False, elapsed_ms=900)
    unranked = client.get(BADGE.replace("atlas", "cirrus"))
    assert "Sprint: not ranked" in unranked.content.decode()


def test_texts_of_a_badge_make_no_elements() -> None:
    root = ElementTree.fromstring(badge_svg('<script>"&', "</text>" * 40))
    assert {element.tag.rpartition("}")[2] for element in root.iter()} == {
        *("svg", "title", "rect", "path", "g", "text")
    }


def test_a_badge_follows_a_new_name(client: Client, sprint: Challenge) -> None:
    rename(Participant.objects.get(slug="atlas"), "rhodes")
    answer = client.get(BADGE)
    assert (answer.status_code, answer.headers["Location"]) == (
        302,
        "/c/sprint/p/rhodes/badge.svg",
    )


@pytest.mark.django_db
def test_the_badge_of_a_hidden_participant_is_not_found() -> None:
    world = World()
    for settings in (
        ViewSettings(names="anonymous"),
        ViewSettings(board="participants"),
    ):
        world.show(settings, "open")
        for who in ("anyone", "participant", "organiser"):
            answer = world.clients[who].get("/c/cup/p/zanzibar/badge.svg")
            assert answer.status_code == 404, who


def test_only_the_framed_board_may_be_framed(
    client: Client, as_ben: Client, framed: Challenge
) -> None:
    answer = as_ben.get("/embed/c/sprint/")
    assert "X-Frame-Options" not in answer.headers
    assert "frame-ancestors *" in answer.headers["Content-Security-Policy"]
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    html = answer.content.decode()
    assert "1 borealis 100 ms 2 atlas 900 ms" in words(html)
    assert "ben" not in words(html), "it has nothing of its reader"
    assert "<form" not in html
    for path in ("/", "/c/sprint/", "/c/sprint/p/atlas/", "/embed/c/nothing/"):
        other = client.get(path)
        assert other.headers["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in other.headers["Content-Security-Policy"]


def test_a_board_is_framed_only_where_organisers_allow_it(
    client: Client, as_ann: Client, sprint: Challenge
) -> None:
    answer = as_ann.get("/embed/c/sprint/")
    assert answer.status_code == 404
    assert answer.headers["X-Frame-Options"] == "DENY"
    for reader in (client, as_ann):
        assert "&lt;iframe" not in get(reader, "/c/sprint/")


def test_what_was_made_for_a_phase_stays_that_of_the_phase(
    client: Client, framed: Challenge, ann: User, submit: Submit
) -> None:
    now, hour = timezone.now(), timedelta(hours=1)
    final = {"slug": "final", "name": "Final", "closes_at": (now - hour).isoformat()}
    late = {"slug": "late", "opens_at": (now - hour).isoformat()}
    change_challenge(framed, user=ann, fields={"phases": [final]})
    made = {
        name: get(client, f"/c/sprint/{path}")
        for name, path in (("board", ""), ("badge", "p/atlas/"))
    }
    assert "/embed/c/sprint/?phase=final" in made["board"]
    assert f"{BADGE}?phase=final)" in made["badge"]
    change_challenge(framed, user=ann, fields={"phases": [final, late]})
    submit(framed, "cirrus", elapsed_ms=50)
    for query in ("", "?phase=final"):
        assert "#2 · 900 ms" in get(client, f"{BADGE}{query}")
        assert "cirrus" not in get(client, f"/embed/c/sprint/{query}")
    assert "cirrus" in get(client, "/embed/c/sprint/?phase=late")
    # Neither a later face of the challenge nor a new slug breaks what others have copied.
    change_challenge(framed, user=ann, fields={"phases": [final, {**late, "face": True}]})
    assert "cirrus" in get(client, "/c/sprint/")
    for query in ("", "?phase=final", "?phase=gone"):
        assert "#2 · 900 ms" in get(client, f"{BADGE}{query}"), query
    assert "borealis" in get(client, "/embed/c/sprint/?phase=final")
    assert client.get("/c/sprint/og.png?phase=gone").status_code == 200
    code = oembed(client, "http://testserver/c/sprint/?phase=final")["html"]
    assert "/embed/c/sprint/?phase=final" in code
    assert "of 2" in words(get(client, "/c/sprint/p/atlas/?phase=final"))


def oembed(client: Client, address: str, **query: str) -> Any:
    answer = client.get("/oembed/", {"url": address, **query})
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    return json.loads(answer.content)


def test_oembed_describes_a_framed_board(client: Client, framed: Challenge) -> None:
    embedding = oembed(client, "http://testserver/c/sprint/", maxwidth="500", maxheight="9")
    assert (embedding["type"], embedding["width"], embedding["height"]) == ("rich", 500, 200)
    assert embedding["html"].startswith('<iframe src="http://testserver/embed/c/sprint/"')
    assert embedding["thumbnail_url"] == "http://testserver/c/sprint/og.png"


def test_oembed_links_a_board_that_may_not_be_framed(client: Client, sprint: Challenge) -> None:
    embedding = oembed(client, "http://testserver/c/sprint/?sort=time")
    assert (embedding["type"], embedding["title"]) == ("link", "Sprint")
    assert "html" not in embedding


def test_oembed_knows_no_other_pages_and_answers_in_json_only(
    client: Client, sprint: Challenge
) -> None:
    for address in (
        "",
        "http://elsewhere.example/c/sprint/",
        "http://testserver/c/nothing/",
        "http://testserver/plugins/",
        "javascript://testserver/c/sprint/",
        "http://[::1/c/sprint/",
    ):
        assert client.get("/oembed/", {"url": address}).status_code == 404, address
    asked = {"url": "http://testserver/c/sprint/", "format": "xml"}
    assert client.get("/oembed/", asked).status_code == 501


@override_settings(PUBLIC_URL="https://board.example.org")
def test_pages_say_what_they_are(client: Client, sprint: Challenge) -> None:
    html = get(client, "/c/sprint/?sort=elapsed_ms")
    for line in (
        '<link rel="canonical" href="https://board.example.org/c/sprint/">',
        '<meta property="og:title" content="Sprint">',
        '<meta property="og:image" content="https://board.example.org/c/sprint/og.png">',
        'href="https://board.example.org/c/sprint/feed.atom"',
        "url=https%3A%2F%2Fboard.example.org%2Fc%2Fsprint%2F",
    ):
        assert line in html
    assert 'content="atlas at Sprint"' in get(client, "/c/sprint/p/atlas/")
    assert "/feed.atom" in get(client, "/")


def test_hidden_challenges_say_nothing(as_ann: Client, make: Make) -> None:
    fields: list[dict[str, Any]] = [{"visibility": "private"}, {"is_draft": True}]
    for hides in fields:
        html = get(as_ann, f"/c/{make('Curtain', **hides).slug}/")
        assert "og:" not in html, hides
        assert "Share" not in words(html), hides
        assert 'content="noindex"' in html, hides


def test_the_codes_to_copy_are_escaped_for_the_reader(
    client: Client, framed: Challenge, ann: User
) -> None:
    change_challenge(framed, user=ann, fields={"name": 'Sprint "A" & B'})
    html = get(client, "/c/sprint/")
    assert "&lt;iframe src=&quot;" not in html, "one level of escaping for the reader"
    assert "&amp;quot;A&amp;quot; &amp;amp; B" in html
    page = get(client, "/c/sprint/p/atlas/")
    assert "(http://testserver/c/sprint/p/atlas/badge.svg)" in page


def test_scripts_elsewhere_may_read_public_boards_alone(
    client: Client, sprint: Challenge, make: Make
) -> None:
    make("Curtain", visibility="unlisted")
    public = client.get("/api/v1/challenges/sprint/leaderboard/")
    assert public.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in public.headers
    etag = public.headers["ETag"]
    same = client.get("/api/v1/challenges/sprint/leaderboard/", headers={"If-None-Match": etag})
    assert same.headers["Access-Control-Allow-Origin"] == "*"
    hidden = client.get("/api/v1/challenges/curtain/leaderboard/")
    assert "Access-Control-Allow-Origin" not in hidden.headers


def test_robots_and_sitemap_name_public_pages_only(
    client: Client, sprint: Challenge, make: Make
) -> None:
    make("Curtain", visibility="private")
    make("Shelf", visibility="unlisted")
    robots = client.get("/robots.txt").content.decode()
    assert "Sitemap: http://testserver/sitemap.xml" in robots
    assert "Disallow: /admin/" in robots
    root = ElementTree.fromstring(client.get("/sitemap.xml").content)
    addresses = [element.text for element in root.iter() if element.tag.endswith("loc")]
    assert "http://testserver/c/sprint/" in addresses
    assert not any(name in f"{address}" for name in ("curtain", "shelf") for address in addresses)
