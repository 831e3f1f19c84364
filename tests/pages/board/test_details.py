"""Strips of tasks, sparklines, groups, the own row and the number of attempts on a board."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, User
from leaderboard.services.board.certainty import summaries
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.visible import board_contents
from tests.helpers.phases import set_phase
from tests.pages.conftest import Make
from tests.pages.entries import enter, judge
from tests.pages.reading import get, words
from tests.people import signed_in

pytestmark = pytest.mark.django_db
BOARD = "/c/cup/"


def strips(html: str) -> list[str]:
    return re.findall(r'<td class="strip-cell[^"]*">(.*?)</td>', html, re.S)


def counts(strip: str) -> list[str]:
    """Return how many tasks a strip says are in which state."""
    return re.findall(r"\d+ [a-z ]*solved", words(strip).partition("Tasks: ")[2])


def test_a_row_has_a_strip_of_links(client: Client, cup: Challenge, ben: User) -> None:
    enter(cup, ben, "atlas", [1.0, 0.5, 0.0])
    judge()
    (strip,) = strips(get(client, BOARD))
    assert counts(strip) == ["1 solved", "1 partly solved", "1 not solved"]
    assert 'href="/c/cup/task/?task=task+1&amp;metric=mean"' in strip
    assert "task 1: 50%" in strip
    assert "group-head" not in get(client, f"{BOARD}?groups=1"), "of one entry"
    get(client, "/c/cup/task/?task=task+1&metric=mean")


def test_many_tasks_are_a_strip_that_is_one_link(client: Client, cup: Challenge, ben: User) -> None:
    enter(cup, ben, "atlas", [1.0] * 25)
    judge()
    (strip,) = strips(get(client, BOARD))
    assert strip.count("<a ") == 1
    assert "#tasks" in strip
    assert counts(strip) == ["25 solved"]


def test_bins_are_strips_of_very_many_tasks(client: Client, cup: Challenge, ben: User) -> None:
    enter(cup, ben, "atlas", [float(at % 3 > 0) for at in range(300)])
    judge()
    (strip,) = strips(get(client, BOARD))
    assert "300 tasks in 100" in words(strip)


def test_a_hidden_column_has_no_strip(client: Client, make: Make, ann: User, ben: User) -> None:
    cup = make("Cup", "metric", metrics=["max", "mean"], rank_by=[{"key": "max"}])
    enter(cup, ben, "atlas", [1.0, 0.5])
    judge()
    assert strips(get(client, BOARD))
    change_challenge(cup, user=ann, fields={"columns": [{"key": "mean", "hidden": True}]})
    cache.clear()
    assert not strips(get(client, BOARD))


def test_a_frozen_board_has_the_pictures_of_its_freeze(
    client: Client, as_ann: Client, cup: Challenge, ann: User, ben: User
) -> None:
    now, hour = timezone.now(), timedelta(hours=1)
    enter(cup, ben, "atlas", [0.25, 0.5])
    enter(cup, ben, "atlas", [1.0, 1.0])
    first, last = Attempt.objects.order_by("submitted_at")
    Attempt.objects.filter(pk=first.pk).update(submitted_at=now - 3 * hour)
    judge()
    set_phase(cup, freezes_at=now - hour, closes_at=now + hour)
    judge()
    html = get(client, BOARD)
    (strip,) = strips(html)
    assert "2 partly solved" in words(strip)
    assert "spark" not in html
    assert "2 solved" in words(strips(get(as_ann, BOARD))[0])
    assert last.submitted_at > first.submitted_at


def test_what_is_hidden_has_no_picture(
    client: Client, as_ann: Client, cup: Challenge, ann: User, ben: User
) -> None:
    enter(cup, ben, "atlas", [1.0, 0.5])
    enter(cup, ben, "atlas", [1.0, 1.0])
    hidden: list[dict[str, Any]] = [
        {"decimals": 2},
        {"attempts": "own"},
        {"scores": "own"},
        {"board": "organisers"},
        {"least_coverage": 0.5},
    ]
    for hides in hidden:
        enter(cup, ben, "atlas", [1.0, 0.5])
        set_phase(cup, **hides)
        judge()
        html = get(client, BOARD)
        for picture in ("strip-cell", "spark", "board-state"):
            assert picture not in html, hides
        assert strips(get(as_ann, BOARD)), hides


def test_the_state_says_how_many_attempts_there_are(
    client: Client, cup: Challenge, ben: User
) -> None:
    enter(cup, ben, "atlas", [1.0])
    enter(cup, ben, "atlas", [0.5])
    enter(cup, ben, "borea", [0.5])
    judge()
    html = get(client, BOARD)
    state = words(html.split('class="board-state"')[1].split("</ul>")[0])
    assert "2 entries 3 attempts" in state
    assert "3 in the last 7 days" in state
    assert html.count('class="spark"') == 1


def test_rows_are_grouped_on_request(client: Client, cup: Challenge, ben: User) -> None:
    good, fair, bad = [1.0] * 40, [1.0] * 39 + [0.0], [0.0] * 40
    for name, rewards in (("atlas", good), ("borea", fair), ("ceres", bad)):
        enter(cup, ben, name, rewards)
    judge()
    assert "groups=1" in get(client, BOARD)
    html = get(client, f"{BOARD}?groups=1")
    heads = [words(head) for head in re.findall(r'class="group-head">(.*?)</tr>', html, re.S)]
    assert [head.partition(" ,")[0] for head in heads] == ["Group 1: atlas", "Group 2: ceres"]
    assert "1 entry" in heads[0]
    assert html.count("<tbody") == 2
    assert "group-head" not in get(client, f"{BOARD}?groups=1&q=atlas")


def test_the_own_row_is_pinned_and_found(
    client: Client, cup: Challenge, ben: User, zoe: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.services.competition.visible.board_contents.ROWS_PER_PAGE", 2)
    for at in range(5):
        enter(cup, ben, f"e{at}", [1.0 - at / 10])
    enter(cup, zoe, "zebra", [0.05])
    as_zoe = signed_in(zoe)
    assert "own-row" not in get(as_zoe, BOARD), "it is not scored yet"
    judge()
    first = get(as_zoe, BOARD)
    pinned = words(first.split('class="pinned"')[1].split("</tbody>")[0])
    assert "6 zebra you" in pinned
    assert 'href="/c/cup/?page=3#own-row"' in first
    third = get(as_zoe, f"{BOARD}?page=3")
    assert "pinned" not in third
    assert 'id="own-row"' in third
    assert 'href="#own-row"' in third
    assert "own-row" not in get(client, BOARD)


def test_a_user_who_submits_for_many_has_no_own_row(cup: Challenge, ben: User) -> None:
    for at in range(6):
        enter(cup, ben, f"e{at}", [1.0])
    judge()
    assert "own-row" not in get(signed_in(ben), BOARD)


def test_a_strip_of_errors_has_high_bars_of_small_values(
    client: Client, make: Make, ben: User
) -> None:
    ways = [{"key": "mean", "direction": "asc"}]
    cup = make("Cup", "metric", metrics=["mean"], rank_by=ways)
    enter(cup, ben, "atlas", [0.0, 0.25, 1.0])
    judge()
    html = get(client, BOARD)
    assert counts(strips(html)[0]) == ["1 solved", "1 partly solved", "1 not solved"]
    assert "the higher" in words(html)


def test_rows_without_strips_say_why(
    client: Client, make: Make, ann: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summaries, "MOST_ROWS", 2)
    monkeypatch.setattr(board_contents, "ROWS_PER_PAGE", 2)
    cup = make("Cup", "metric", metrics=["mean"], rank_by=[{"key": "mean"}])
    for at, name in enumerate(("atlas", "bolt", "comet")):
        enter(cup, ben, name, [1.0, 0.0, at / 2])
    judge()
    why = "first 2 rows"
    first, second = get(client, BOARD), get(client, f"{BOARD}?page=2")
    assert len(strips(first)) == 2
    assert why not in words(first)
    assert not strips(second)
    assert why in words(second)
    means = make("Means", "metric", metrics=["mean"], rank_by=[{"key": "mean"}], counting="mean")
    enter(means, ben, "atlas", [1.0, 0.0])
    judge()
    assert "values are means" in words(get(client, "/c/means/"))


def test_the_state_says_until_when_a_phase_is_open(client: Client, make: Make, ann: User) -> None:
    phases = [{"slug": "main", "closes_at": "2099-05-04T10:00:00Z"}]
    cup = make("Cup", phases=phases)
    assert "open until 4 May 2099" in words(get(client, BOARD))
    change_challenge(cup, user=ann, fields={"is_active": False})
    cache.clear()
    assert "open until" not in words(get(client, BOARD))
    over = [{"slug": "main", "closes_at": "2026-01-04T10:00:00Z"}]
    make("Over", phases=over)
    assert "open until" not in words(get(client, "/c/over/"))
