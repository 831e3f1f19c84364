"""The record of a board over time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from leaderboard.models import Attempt, Challenge, User
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring.single import score_waiting
from tests.helpers.attempts import attempt_of
from tests.helpers.phases import set_phase
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db

PAGE = "/c/models/progress/"
START = datetime(2026, 11, 2, 12, tzinfo=UTC)
TRIES = [("atlas", 0.3), ("boreas", 0.5), ("atlas", 0.4), ("atlas", 0.7), ("ceres", 0.6)]


@pytest.fixture
def models(make: Make, ben: User) -> Challenge:
    """Five attempts, a day apart, three of them records."""
    challenge = make("Models", "metric", rank_by=[{"key": "accuracy"}], values=["accuracy"])
    tried(challenge, ben, TRIES)
    return challenge


def tried(challenge: Challenge, user: User, tries: list[tuple[str, float]]) -> None:
    for at, (name, accuracy) in enumerate(tries):
        attempt = attempt_of(user, challenge, name, values={"accuracy": accuracy})
        moment = START + timedelta(days=at)
        Attempt.objects.filter(pk=attempt.pk).update(submitted_at=moment)
    score_waiting()


def points(html: str) -> list[tuple[str, bool]]:
    """Return the points of the wide drawing: what they say, and whether they are records."""
    wide = html.split('class="chart wide"')[1].split("</svg>")[0]
    labels = re.findall(r'aria-label="([^"]+)" class="(best|dominated)"', wide)
    return [(title.split(",")[0], kind == "best") for title, kind in labels]


def table(html: str) -> list[str]:
    rows = html.split("chart-table")[1].split("<tbody>")[1].split("</tbody>")[0].split("</tr>")
    return [words(row).replace(" UTC", "") for row in rows if "<td" in row]


def test_each_attempt_is_a_point_and_records_have_their_holders(
    client: Client, models: Challenge
) -> None:
    html = get(client, PAGE)
    assert points(html) == [
        ("atlas: 0.30", True),
        ("boreas: 0.50", True),
        ("atlas: 0.70", True),
        ("atlas: 0.40", False),
        ("ceres: 0.60", False),
    ]
    assert table(html) == [
        "5 Nov 2026, 12:00 atlas 0.70 0.20 still held best so far",
        "3 Nov 2026, 12:00 boreas 0.50 0.20 2 days best so far",
        "2 Nov 2026, 12:00 atlas 0.30 – 24 hours best so far",
    ]
    assert "5 attempts are drawn" in words(html)


def test_changes_of_the_rules_are_lines(client: Client, models: Challenge, ann: User) -> None:
    assert "Dashed lines" not in get(client, PAGE)
    change_challenge(models, user=ann, fields={"timeout_ms": 1234})
    models.configs.filter(number=2).update(created_at=START + timedelta(days=1.5))
    assert "<text" in get(client, PAGE).split('class="rule-changes"')[1].split("</g>")[0]
    assert "version 2" in get(client, PAGE)


def test_a_large_challenge_shows_the_attempts_that_count(
    client: Client, models: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.pages.analysis.progress.MOST_ATTEMPTS", 4)
    html = get(client, PAGE)
    assert points(html) == [
        ("boreas: 0.50", True),
        ("atlas: 0.70", True),
        ("ceres: 0.60", False),
    ]


def test_many_attempts_are_one_path(
    client: Client, models: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.pages.charts.history.MOST_LINKS", 1)
    html = get(client, PAGE)
    assert [is_record for _, is_record in points(html)] == [True] * 3
    assert re.search(r'class="cloud" d="M[\d.]+ [\d.]+h0M[\d.]+ [\d.]+h0"', html)


def test_hidden_attempts_are_no_points(client: Client, models: Challenge) -> None:
    set_phase(models, attempts="own")
    html = get(client, PAGE)
    assert "atlas: 0.30" not in html
    assert ("atlas: 0.70", True) in points(html)
    assert "/attempts/" not in html
    set_phase(models, decimals=0)
    html = get(client, PAGE)
    assert points(html)[:2] == [("atlas: 0.00", True), ("atlas: 1.00", True)]
    assert "0.7" not in html.split("</svg>", 2)[2]
    set_phase(models, names="anonymous")
    html = get(client, PAGE)
    assert "atlas" not in html
    assert "Anonymous" in points(html)[0][0]


def test_a_frozen_board_keeps_its_record(client: Client, as_ann: Client, models: Challenge) -> None:
    set_phase(models, opens_at=START, freezes_at=START + timedelta(days=2.5))
    html = get(client, PAGE)
    assert [title for title, _ in points(html)] == ["atlas: 0.30", "boreas: 0.50", "atlas: 0.40"]
    assert "0.70" not in html
    assert len(points(get(as_ann, PAGE))) == 5


def test_withdrawn_attempts_are_no_records(client: Client, models: Challenge) -> None:
    Attempt.objects.filter(values__accuracy=0.5).update(withdrawn_at=START)
    assert "boreas" not in get(client, PAGE)


def test_a_board_without_a_record_says_why(client: Client, make: Make) -> None:
    make("Models", "first")
    assert "time of the attempt" in get(client, PAGE)
    make("Empty", "fastest")
    assert "chart-table" not in get(client, "/c/empty/progress/")
