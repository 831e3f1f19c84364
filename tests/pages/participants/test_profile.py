"""The timeline, the tasks and the strengths on the page of a participant."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from leaderboard.models import Challenge, User
from leaderboard.services.attempts.retry import withdraw_attempt
from tests.helpers.phases import set_phase
from tests.pages.entries import enter, judge
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db
PAGE = "/c/cup/p/atlas/"


@pytest.fixture
def field(cup: Challenge, ben: User) -> Challenge:
    """Six entries: only atlas solves task 0, and only atlas fails at task 1."""
    enter(cup, ben, "atlas", [1.0, 0.0, 0.5], cost_usd=9.0)
    for at in range(5):
        enter(cup, ben, f"e{at}", [0.0, 1.0, 0.5], cost_usd=1.0 + at / 10)
    judge()
    return cup


def side(html: str, title: str) -> str:
    section = re.search(rf"<h3>{title}</h3>(.*?)</dl>", html, re.S)
    return words(section[1]) if section else ""


def test_tasks_and_columns_far_from_the_median(client: Client, field: Challenge) -> None:
    html = get(client, PAGE)
    assert side(html, "Better than most") == "task 0 100% median 0%"
    worse = side(html, "Worse than most")
    assert worse.startswith("task 1 0% median 100% Cost $9.0000 median")
    assert "task 2" not in worse
    assert 'href="/c/cup/task/?task=task+0&amp;metric=mean"' in html
    assert "named-tasks" in html


def test_few_entries_have_no_median(client: Client, cup: Challenge, ben: User) -> None:
    enter(cup, ben, "atlas", [1.0, 0.0])
    enter(cup, ben, "borea", [0.0, 1.0])
    judge()
    html = get(client, PAGE)
    assert "Against the median" not in html
    assert "named-tasks" in html


def test_what_is_hidden_is_not_drawn(
    client: Client, as_ann: Client, field: Challenge, ben: User
) -> None:
    enter(field, ben, "atlas", [1.0, 1.0, 1.0])
    hidden: list[dict[str, Any]] = [
        {"decimals": 2},
        {"attempts": "own"},
        {"scores": "own"},
        {"board": "organisers"},
    ]
    for hides in hidden:
        set_phase(field, **hides)
        judge()
        html, whole = client.get(PAGE).content.decode(), get(as_ann, PAGE)
        for part in ("named-tasks", 'class="chart wide"'):
            assert part not in html, hides
            assert part in whole, hides
        assert "Against the median" not in html, hides


def test_the_timeline_marks_the_attempt_that_counts(
    client: Client, cup: Challenge, ben: User
) -> None:
    for reward in (0.25, 0.75, 0.5):
        enter(cup, ben, "atlas", [reward])
    judge()
    html = get(client, PAGE)
    wide = html.split('class="chart wide"')[1].split("</svg>")[0]
    assert wide.count('class="best"') == 2
    assert wide.count('class="dominated"') == 1
    assert wide.count("it counts") == 2
    assert "best attempt" in words(html)


def test_a_single_attempt_has_no_timeline(client: Client, cup: Challenge, ben: User) -> None:
    enter(cup, ben, "atlas", [0.25])
    judge()
    assert 'class="chart wide"' not in get(client, PAGE)


def test_nothing_counts_where_everything_is_withdrawn(
    client: Client, cup: Challenge, ben: User
) -> None:
    for value in (1.0, 0.5):
        enter(cup, ben, "atlas", [value])
    judge()
    assert re.search(r"Here it is the one of [^.]* UTC \.", words(get(client, PAGE)))
    for attempt in cup.attempts.all():
        withdraw_attempt(attempt, reason="a mistake")
    cache.clear()
    text = words(get(client, PAGE))
    assert "Withdrawn" in text
    assert "counts" not in text
