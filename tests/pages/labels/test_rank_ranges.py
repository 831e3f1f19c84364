"""Wherever a rank is shown, its interval is too, and an uncertain lead says so."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Attempt, Challenge, User
from leaderboard.pages.sharing.card import card_svg
from leaderboard.pages.sharing.picture import card_of
from leaderboard.pages.sharing.public_board import public_board
from leaderboard.services.challenges.challenges import change_challenge
from tests.helpers.phases import set_phase
from tests.pages.conftest import Make
from tests.pages.entries import enter, judge
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db

UNCERTAIN = "cannot be told apart"
INTERVAL = "1–3"
API = "/api/v1/challenges/cup/"
CSV = f"{API}leaderboard.csv"


@pytest.fixture
def cup(make: Make, ben: User) -> Challenge:
    """A board of three entries whose order nobody can know."""
    challenge = make(
        "Cup", "metric", metrics=["mean"], rank_by=[{"key": "mean"}], is_embeddable=True
    )
    for at, name in enumerate(("atlas", "bolt", "comet")):
        dice = random.Random(at)
        rewards = [float(dice.random() < 0.5) for _task in range(12)]
        enter(challenge, ben, name, rewards)
    judge()
    return challenge


def read(client: Client, path: str) -> str:
    answer: Any = client.get(path)
    assert answer.status_code == 200, path
    return str(answer.getvalue().decode())


def leader(challenge: Challenge) -> Attempt:
    board = public_board(challenge)
    assert board is not None
    row = board.page_from(0).rows[0]
    assert row.attempt_id is not None
    return Attempt.objects.get(pk=row.attempt_id)


def test_every_door_that_names_a_rank_names_its_interval(client: Client, cup: Challenge) -> None:
    first = leader(cup)
    who = first.participant.slug
    doors = {
        f"/c/cup/p/{who}/": True,
        f"/attempts/{first.pk}/": True,
        "/embed/c/cup/": True,
        f"/c/cup/p/{who}/badge.svg": False,
        "/": True,
        "/c/cup/compare/": False,
        "/c/cup/compare/?p=atlas,bolt": False,
        "/c/cup/tradeoff/": False,
        "/c/cup/what-if/": False,
        "/c/cup/task/?task=task+0": False,
        f"{API}leaderboard.md": False,
    }
    for door, names_leader in doors.items():
        text = words(get(client, door)) if "/api/" not in door else read(client, door)
        assert INTERVAL in text, door
        assert (UNCERTAIN in text) or not names_leader, door


def test_the_lists_of_organisers_have_intervals(as_ann: Client, cup: Challenge, ann: User) -> None:
    end = "2999-01-01T00:00:00Z"
    phases = [{"slug": "main", "closes_at": end}, {"slug": "final", "opens_at": end}]
    change_challenge(cup, user=ann, fields={"phases": phases})
    judge()
    cup.phases.filter(slug="main").update(closes_at=datetime(2026, 1, 1, tzinfo=UTC))
    for door in ("attempts/", "phases/?advance=main&best=3"):
        assert words(get(as_ann, f"/c/cup/manage/{door}")).count("rank 1 to 3 with 95%") == 3, door


def test_the_picture_of_a_board_has_intervals_and_the_verdict(cup: Challenge) -> None:
    board = public_board(cup)
    assert board is not None
    svg = card_svg(card_of(board))
    assert svg.count(f">{INTERVAL}<") == 3
    assert UNCERTAIN in svg


def test_the_picture_of_a_board_is_uncertain_in_any_script(make: Make, ben: User) -> None:
    challenge = make("Cup", "metric", metrics=["mean"], rank_by=[{"key": "mean"}])
    for name, first in (("森田", 1.0), ("田中", 0.0)):
        enter(challenge, ben, name, [first, *[1.0, 0.0] * 6])
    judge()
    board = public_board(challenge)
    assert board is not None
    assert UNCERTAIN in card_svg(card_of(board))


def test_other_sites_get_the_rank_interval_of_a_participant(client: Client, cup: Challenge) -> None:
    html = get(client, f"/c/cup/p/{leader(cup).participant.slug}/")
    descriptions = re.findall(
        r'<meta (?:name|property)="(?:og:)?description" content="([^"]*)"', html
    )
    assert len(descriptions) == 2
    assert all(
        unescape(description).startswith(f"Cup: rank 1 ({INTERVAL})")
        for description in descriptions
    )


def test_a_feed_says_that_a_lead_is_uncertain(client: Client, cup: Challenge) -> None:
    feed = client.get("/c/cup/feed.atom").content.decode()
    entry = next(part for part in feed.split("<entry>") if str(leader(cup).pk) in part)
    assert UNCERTAIN in entry
    assert feed.count(UNCERTAIN) == 1


def test_files_have_the_ends_of_intervals(client: Client, cup: Challenge) -> None:
    text = read(client, CSV)
    head, *rows = [line.split(",") for line in text.splitlines()]
    ends = [head.index(name) for name in ("rank (low)", "rank (high)")]
    assert [[row[at] for at in ends] for row in rows] == [["1", "3"]] * 3


def test_readers_of_rounded_scores_see_no_intervals(client: Client, cup: Challenge) -> None:
    """Rank intervals reveal more about values than rounded scores do."""
    first = leader(cup)
    set_phase(cup, decimals=1)
    for door in (
        f"/c/cup/p/{first.participant.slug}/",
        f"/attempts/{first.pk}/",
        "/embed/c/cup/",
        "/",
    ):
        assert INTERVAL not in words(get(client, door)), door
    assert "rank (low)" not in read(client, CSV)
