"""A participant's page."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Challenge
from leaderboard.services.attempts.retry import withdraw_attempt
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words
from tests.pages.test_board import names, queries, ranks

pytestmark = pytest.mark.django_db


@pytest.fixture
def sprint(make: Make) -> Challenge:
    return make("Sprint")


def test_the_page_shows_the_rank_and_five_rows_above_and_below(
    client: Client, sprint: Challenge, submit: Submit
) -> None:
    for place in range(1, 14):
        submit(sprint, f"runner {place}", elapsed_ms=place * 100)
    html = get(client, "/c/sprint/p/runner-7/")
    assert ranks(html) == [str(rank) for rank in range(2, 13)]
    assert names(html)[5] == "runner 7"
    assert html.count('aria-current="true"') == 1
    assert "Rank 7 of 13" in words(html)


def test_attempts_are_listed_newest_first_with_the_one_that_counts(
    client: Client, sprint: Challenge, submit: Submit
) -> None:
    best = submit(sprint, "atlas", elapsed_ms=100)
    later = submit(sprint, "atlas", elapsed_ms=900)
    html = get(client, "/c/sprint/p/atlas/")
    text = words(html)
    assert text.index("900 ms") < text.rindex("100 ms")
    assert html.index(f"/attempts/{later.pk}/") < html.rindex(f"/attempts/{best.pk}/")
    assert text.count("Scored counts") == 1
    assert "Scored counts 100 ms" in text


def test_negative_scores_are_shown_as_clamped(
    client: Client, weighted: Challenge, submit: Submit
) -> None:
    submit(weighted, "atlas", succeeded=False, elapsed_ms=84_000)
    assert "Scored counts Clamped to 0 0.00" in words(get(client, "/c/prompt-escape/p/atlas/"))


def test_the_page_before_the_first_score(client: Client, sprint: Challenge, submit: Submit) -> None:
    submit(sprint, "atlas", scored=False, elapsed_ms=1)
    text = words(get(client, "/c/sprint/p/atlas/"))
    assert "None of its attempts has been scored yet." in text
    assert "Waiting for a worker" in text


def test_the_page_says_why_a_participant_is_not_ranked(
    client: Client, sprint: Challenge, submit: Submit
) -> None:
    withdraw_attempt(submit(sprint, "atlas", elapsed_ms=1), reason="Knew the answer")
    text = words(get(client, "/c/sprint/p/atlas/"))
    assert "Rank Withdrawn" in text
    assert "counts" not in text


def test_the_attempts_have_pages(
    client: Client, sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.pages.participant.ATTEMPTS_PER_PAGE", 2)
    for number in range(3):
        submit(sprint, "atlas", elapsed_ms=1000 + number)
    assert 'href="?page=2"' in get(client, "/c/sprint/p/atlas/")
    second = get(client, "/c/sprint/p/atlas/?page=2")
    assert 'rel="next"' not in second
    assert 'href="?page=1"' in second
    get(client, "/c/sprint/p/atlas/?page=3", status=404)


def test_many_attempts_take_as_many_queries_as_one(
    client: Client, sprint: Challenge, submit: Submit
) -> None:
    submit(sprint, "borealis", elapsed_ms=7)
    submit(sprint, "atlas", elapsed_ms=5)
    few = queries(client, "/c/sprint/p/atlas/")
    for number in range(8):
        submit(sprint, "atlas", elapsed_ms=number)
        submit(sprint, f"runner {number}", elapsed_ms=number)
    assert queries(client, "/c/sprint/p/atlas/") == few


def test_the_page_marks_the_users_own_participant(
    client: Client, as_ben: Client, sprint: Challenge, submit: Submit
) -> None:
    submit(sprint, "atlas", elapsed_ms=5)
    assert ">Yours<" in get(as_ben, "/c/sprint/p/atlas/")
    assert ">Yours<" not in get(client, "/c/sprint/p/atlas/")
    get(client, "/c/sprint/p/nobody/", status=404)
