"""A participant's page."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Challenge
from leaderboard.services.attempts.retry import withdraw_attempt
from tests.pages.board.test_page import names, ranks
from tests.pages.conftest import Submit
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


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
    assert html.index(f"/attempts/{later.pk}/") < html.rindex(f"/attempts/{best.pk}/")
    assert text.count("Scored counts") == 1
    assert "Scored counts 100 ms" in text
    withdraw_attempt(best, reason="Knew the answer")
    withdraw_attempt(later, reason="Knew the answer")
    text = words(get(client, "/c/sprint/p/atlas/"))
    assert "Rank Withdrawn" in text
    assert "Scored counts" not in text


def test_negative_scores_are_shown_as_clamped(
    client: Client, weighted: Challenge, submit: Submit
) -> None:
    submit(weighted, "atlas", succeeded=False, elapsed_ms=84_000)
    assert "Scored counts Clamped to 0 0.00" in words(get(client, "/c/prompt-escape/p/atlas/"))


def test_the_page_before_the_first_score(client: Client, sprint: Challenge, submit: Submit) -> None:
    submit(sprint, "atlas", scored=False, elapsed_ms=1)
    assert ranks(get(client, "/c/sprint/p/atlas/")) == []


def test_the_attempts_have_pages(
    client: Client, sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.pages.participants.page.ATTEMPTS_PER_PAGE", 2)
    for number in range(3):
        submit(sprint, "atlas", elapsed_ms=1000 + number)
    assert 'href="?page=2"' in get(client, "/c/sprint/p/atlas/")
    second = get(client, "/c/sprint/p/atlas/?page=2")
    assert 'rel="next"' not in second
    assert 'href="?page=1"' in second
    get(client, "/c/sprint/p/atlas/?page=3", status=404)


def test_the_page_marks_the_users_own_participant(
    client: Client, as_ben: Client, sprint: Challenge, submit: Submit
) -> None:
    submit(sprint, "atlas", elapsed_ms=5)
    assert ">Yours<" in get(as_ben, "/c/sprint/p/atlas/")
    assert ">Yours<" not in get(client, "/c/sprint/p/atlas/")
    get(client, "/c/sprint/p/nobody/", status=404)
