"""How far an attempt is from the next rank."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from leaderboard.models import Attempt, BoardCertainty, Challenge, User
from leaderboard.services.board.certainty.computing import look_after_certainty
from leaderboard.services.scoring.single import score_attempt
from tests.helpers.attempts import attempt_of
from tests.helpers.phases import set_phase
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup(make: Make) -> Challenge:
    rank_by = [{"key": "accuracy"}, {"key": "cost_usd", "direction": "asc"}]
    return make("Cup", "metric", rank_by=rank_by, values=["accuracy"])


def enter(
    challenge: Challenge, user: User, name: str, accuracy: float, cost: float = 1.0
) -> Attempt:
    facts, values = {"cost_usd": cost}, {"accuracy": accuracy}
    attempt = attempt_of(user, challenge, name, metrics=facts, values=values)
    assert score_attempt(attempt.pk)
    return attempt


def next_rank(client: Client, attempt: Attempt) -> tuple[str, ...]:
    """Return the difference, its kind, the other rank and the other name that a page names."""
    html = get(client, f"/attempts/{attempt.pk}/")
    line = re.search(r'<p class="next-rank">(.*?)</p>', html, re.S)
    text = words(line[1]) if line else ""
    patterns = (r"(\S*\d)[ .]", "(more|less|ahead|differs)", r"rank (\d)", "(atlas|borea|ceres)")
    return tuple(hit[1] for hit in (re.search(pattern, text) for pattern in patterns) if hit)


def test_the_next_rank_is_that_of_the_row_above(client: Client, cup: Challenge, ben: User) -> None:
    first = enter(cup, ben, "atlas", 0.9)
    second = enter(cup, ben, "borea", 0.8)
    third = enter(cup, ben, "ceres", 0.788)
    assert next_rank(client, third) == ("0.012", "more", "2", "borea")
    assert next_rank(client, second) == ("0.10", "more", "1", "atlas")
    assert next_rank(client, first) == ("0.10", "ahead", "2", "borea")


def test_a_shared_rank_is_passed_together(client: Client, cup: Challenge, ben: User) -> None:
    enter(cup, ben, "atlas", 0.9)
    for name in ("borea", "ceres"):
        twin = enter(cup, ben, name, 0.8)
    last = enter(cup, ben, "dione", 0.7)
    assert next_rank(client, last)[:3] == ("0.10", "more", "2")
    assert next_rank(client, twin) == ("0.10", "more", "1", "atlas")


def test_the_second_value_decides_between_equal_first_ones(
    client: Client, cup: Challenge, ben: User
) -> None:
    first = enter(cup, ben, "atlas", 0.9, 1.0)
    second = enter(cup, ben, "borea", 0.9, 3.0)
    assert next_rank(client, second)[1:] == ("differs", "1", "atlas")
    assert next_rank(client, first)[1:] == ("differs", "2", "borea")
    assert "$2.0000" in get(client, f"/attempts/{first.pk}/")


@pytest.mark.parametrize("most", [1.7e308, 1e305, 5e-324])
def test_pages_show_extreme_values(client: Client, cup: Challenge, ben: User, most: float) -> None:
    names = [("atlas", most), ("borea", -most), ("atlas", 0.0)]
    attempts = [enter(cup, ben, name, value) for name, value in names]
    look_after_certainty()
    assert BoardCertainty.objects.exists()
    paths = ("", "what-if/", "tradeoff/", "progress/", "p/atlas/")
    pages = [f"/c/cup/{path}" for path in paths]
    for page in (*pages, *(f"/attempts/{attempt.pk}/" for attempt in attempts)):
        assert get(client, page)


def test_less_is_better_where_small_values_are(client: Client, make: Make, ben: User) -> None:
    golf = make(
        "Golf", "metric", rank_by=[{"key": "cost_usd", "direction": "asc"}], values=["accuracy"]
    )
    enter(golf, ben, "atlas", 0.9, 1.0)
    second = enter(golf, ben, "borea", 0.9, 1.5)
    assert next_rank(client, second) == ("$0.5000", "less", "1", "atlas")


def test_the_next_rank_is_hidden_for_other_attempts_and_hidden_values(
    client: Client, cup: Challenge, ben: User
) -> None:
    only = enter(cup, ben, "atlas", 0.9)
    assert next_rank(client, only) == ()
    worse = enter(cup, ben, "atlas", 0.1)
    second = enter(cup, ben, "borea", 0.8)
    assert next_rank(client, worse) == ()
    assert next_rank(client, second)
    for hides in ({"decimals": 2}, {"board": "organisers"}, {"scores": "own"}):
        set_phase(cup, **hides)
        assert next_rank(client, second) == ()
