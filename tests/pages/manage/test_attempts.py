"""Organisers find attempts of all participants in a browser."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Challenge, User
from leaderboard.pages.manage import attempts as page
from leaderboard.services.attempts.retry import withdraw_attempt
from leaderboard.services.scoring.single import score_waiting
from tests.helpers.attempts import attempt_of
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db
PAGE = "/c/sprint/manage/attempts/"


@pytest.fixture
def sprint(make: Make, ben: User) -> Challenge:
    """Attempts of atlas (scored), boreas (withdrawn) and comet (waiting)."""
    challenge = make("Sprint")
    made = []
    for who in ("atlas", "boreas", "comet"):
        if who == "comet":
            score_waiting()
        made.append(
            attempt_of(ben, challenge, who, metrics={"succeeded": True, "elapsed_ms": 1234})
        )
    withdraw_attempt(made[1], reason="It was a mistake.")
    return challenge


def test_attempts_are_found(sprint: Challenge, as_ann: Client) -> None:
    for query, expected in (
        ("", {"atlas", "boreas", "comet"}),
        ("?state=waiting", {"comet"}),
        ("?state=scored", {"atlas"}),
        ("?state=withdrawn", {"boreas"}),
        ("?state=failed", set()),
        ("?q=ATL", {"atlas"}),
        ("?q=o&state=waiting", {"comet"}),
        ("?q=nobody", set()),
    ):
        text = words(get(as_ann, PAGE + query))
        assert {who for who in ("atlas", "boreas", "comet") if who in text} == expected, query


def test_a_row_shows_the_state_of_its_attempt(sprint: Challenge, as_ann: Client) -> None:
    text = words(get(as_ann, PAGE))
    assert "atlas Scored counts" in text
    assert "sent by ben" in text
    assert "Rank 1 1.2 s" in text
    assert "boreas Scored Withdrawn" in text
    assert "It was a mistake." in text


def test_many_attempts_have_pages(
    sprint: Challenge, as_ann: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "PER_PAGE", 2)
    assert "atlas" not in words(get(as_ann, PAGE))
    assert "atlas" in words(get(as_ann, f"{PAGE}?page=2"))
    assert as_ann.get(f"{PAGE}?page=3").status_code == 404
    assert as_ann.get(f"{PAGE}?state=lost").status_code == 404
