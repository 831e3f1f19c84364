"""The board of a challenge."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db.models.functions import Now
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.models import Attempt, Challenge, User
from leaderboard.pages.board.section import KEPT
from leaderboard.services.attempts.retry import withdraw_attempt
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.operations import workers
from leaderboard.services.scoring.rate import scoring_delay
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


def ranks(html: str) -> list[str]:
    return re.findall(r'class="place[^>]*>([^<]*)<', html)


def names(html: str) -> list[str]:
    return re.findall(r'class="who"><a href="[^"]*">([^<]*)<', html)


def test_the_board_shows_ranks_and_marks_ties(
    client: Client, sprint: Challenge, submit: Submit
) -> None:
    for name, elapsed in [("atlas", 500), ("borealis", 200), ("cirrus", 200), ("delphi", 100)]:
        submit(sprint, name, elapsed_ms=elapsed)
    html = get(client, "/c/sprint/")
    assert ranks(html) == ["1", "2=", "2=", "4"]
    assert names(html) == ["delphi", "borealis", "cirrus", "atlas"]
    assert "200 ms" in html
    attempt = Attempt.objects.get(participant__handle="delphi")
    assert 'href="/c/sprint/p/delphi/"' in html
    assert f'href="/attempts/{attempt.pk}/"' in html


def test_the_board_says_why_a_participant_is_not_ranked(
    client: Client, sprint: Challenge, submit: Submit
) -> None:
    submit(sprint, "atlas", succeeded=False, elapsed_ms=500)
    submit(sprint, "borealis")
    withdrawn = submit(sprint, "cirrus", elapsed_ms=1)
    withdraw_attempt(withdrawn, reason="Knew the answer")
    text = words(get(client, "/c/sprint/"))
    assert text.index("Not ranked") < text.index("atlas No successful attempt")
    assert "No value for Time" in text
    assert "cirrus Withdrawn" in text


def test_an_empty_board_helps_with_the_first_attempt_while_it_is_open(
    client: Client, sprint: Challenge, make: Make
) -> None:
    text = words(get(client, "/c/sprint/"))
    assert "curl -X POST http://testserver/api/v1/challenges/sprint/attempts/" in text
    assert "Open" in text
    make("Over", is_active=False)
    text = words(get(client, "/c/over/"))
    assert "Closed" in text
    assert "curl" not in text


def test_the_board_escapes_names(client: Client, sprint: Challenge, submit: Submit) -> None:
    submit(sprint, "<script>alert(1)</script>", elapsed_ms=1)
    html = get(client, "/c/sprint/")
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_the_board_can_be_searched_by_name(
    client: Client, sprint: Challenge, submit: Submit
) -> None:
    for place, name in enumerate(["atlas", "borealis", "Bora"]):
        submit(sprint, name, elapsed_ms=place + 1)
    html = get(client, "/c/sprint/?q=BOR")
    assert names(html) == ["borealis", "Bora"]
    assert ranks(html) == ["2", "3"]
    assert "2 participants found" in html
    assert "“zzz”" in words(get(client, "/c/sprint/?q=zzz"))


def test_sorting_by_a_column_keeps_the_ranks(
    client: Client, sprint: Challenge, submit: Submit
) -> None:
    submit(sprint, "atlas", elapsed_ms=1, rating=2)
    submit(sprint, "borealis", elapsed_ms=2, rating=9)
    submit(sprint, "cirrus", elapsed_ms=3)
    html = get(client, "/c/sprint/?sort=-rating")
    assert names(html) == ["borealis", "atlas", "cirrus"]
    assert ranks(html) == ["2", "1", "3"]
    assert 'aria-sort="descending"' in html
    assert 'href="?sort=rating"' in html


def test_a_wrong_parameter_is_named(client: Client, sprint: Challenge, submit: Submit) -> None:
    submit(sprint, "atlas", elapsed_ms=1)
    for query, message in (
        ("sort=-nothing", 'sort : .*elapsed_ms.*; got "nothing"'),
        ("columns=rating,nothing", 'columns : .*elapsed_ms.*; got "nothing"'),
        ("kinds=nothing", 'kinds : [^;]*ranked, .*; got "nothing"'),
        ("participant_kind=nothing", 'participant_kind : .*; got "nothing"'),
        ("phase=nothing", 'phase : .*; got "nothing"'),
        ("page=x", 'page : .* 1 to 1000000; got "x"'),
        ("page=9", 'page : .* 1 to 1; got "9"'),
        ("q=atlas&page=9", "page : .* rows; got 9"),
    ):
        assert re.search(message, words(get(client, f"/c/sprint/?{query}", status=404))), query
    html = get(client, "/c/sprint/?sort=x", status=404, accept_language="de")
    assert "erhalten: &quot;x&quot;" in html


def test_the_first_click_sorts_by_the_better_values(
    client: Client, sprint: Challenge, submit: Submit
) -> None:
    submit(sprint, "atlas", elapsed_ms=1, tokens_total=5, rating=3)
    html = get(client, "/c/sprint/")
    assert 'href="?sort=tokens_total"' in html
    assert 'href="?sort=-rating"' in html


def test_a_long_board_has_pages(
    client: Client, sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.services.competition.visible.board_contents.ROWS_PER_PAGE", 2)
    for number in range(5):
        submit(sprint, f"atlas {number}", elapsed_ms=number)
    assert ranks(get(client, "/c/sprint/?page=2")) == ["3", "4"]
    assert ranks(get(client, "/c/sprint/?page=3")) == ["5"]
    html = get(client, "/c/sprint/?q=atlas&page=2&sort=-elapsed_ms")
    assert ranks(html) == ["3", "2"]
    assert "?q=atlas&amp;page=3&amp;sort=-elapsed_ms" in html
    get(client, "/c/sprint/?page=4", status=404)
    get(client, "/c/sprint/?q=atlas&page=4", status=404)


def test_a_long_board_can_be_shown_on_one_page(
    client: Client, sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise only one page of the board could be printed."""
    monkeypatch.setattr("leaderboard.services.competition.visible.board_contents.ROWS_PER_PAGE", 2)
    for number in range(5):
        submit(sprint, f"atlas {number}", elapsed_ms=number)
    assert '<a href="?rows=all">All 5' in get(client, "/c/sprint/?page=2")
    whole = get(client, "/c/sprint/?rows=all")
    assert ranks(whole) == ["1", "2", "3", "4", "5"]
    assert 'href="?rows=all"' not in whole
    assert ranks(get(client, "/c/sprint/?rows=all&sort=-elapsed_ms")) == ["5", "4", "3", "2", "1"]
    assert ranks(get(client, "/c/sprint/?rows=all&q=atlas")) == ["1", "2", "3", "4", "5"]
    with pytest.MonkeyPatch.context() as once:  # a page of all rows is rendered once per version
        once.setattr("leaderboard.pages.board.page._page", None)
        assert get(client, "/c/sprint/?rows=all") == whole
    monkeypatch.setattr("leaderboard.pages.tables.rows.MOST_ROWS", 4)
    cache.clear()
    KEPT.clear()
    assert "?rows=all&amp;page=2" in get(client, "/c/sprint/?rows=all")
    assert '<a href="?rows=all">Up to 4' in get(client, "/c/sprint/")


def test_the_strategy_first_shows_the_time(client: Client, make: Make, submit: Submit) -> None:
    attempt = submit(make("First light", "first"), "atlas")
    html = get(client, "/c/first-light/")
    assert f'<time datetime="{attempt.submitted_at.isoformat(timespec="seconds")}"' in html


def test_the_board_says_that_it_shows_an_older_version(
    client: Client, sprint: Challenge, submit: Submit, ann: User
) -> None:
    submit(sprint, "atlas", elapsed_ms=2, rating=1)
    change_challenge(sprint, user=ann, fields={"scoring_strategy": "highest_rating"})
    text = words(get(client, "/c/sprint/"))
    assert text.index("under version 2") < text.index("shows version 1")
    config, _ = start_rescore(Challenge.objects.get())
    text = words(get(client, "/c/sprint/"))
    assert "0 of 1 done" in text
    assert "shows version 1" in text
    work_on(config.pk)
    text = words(get(client, "/c/sprint/"))
    assert "shows version 1" not in text
    assert "version 2" in text


class TestConditional:
    def test_anonymous_readers_get_304_until_something_changes(
        self, client: Client, sprint: Challenge, submit: Submit, ann: User
    ) -> None:
        submit(sprint, "atlas", elapsed_ms=2)
        etag = client.get("/c/sprint/").headers["ETag"]
        same = client.get("/c/sprint/", headers={"if-none-match": etag})
        assert (same.status_code, same.headers["ETag"]) == (304, etag)
        submit(sprint, "borealis", elapsed_ms=1)
        assert "borealis" in get(client, "/c/sprint/", if_none_match=etag)
        etag = client.get("/c/sprint/").headers["ETag"]
        change_challenge(Challenge.objects.get(), user=ann, fields={"name": "Dash"})
        assert "Dash" in get(client, "/c/sprint/", if_none_match=etag)

    def test_signed_in_readers_always_get_the_page(
        self, client: Client, as_ben: Client, sprint: Challenge
    ) -> None:
        etag = client.get("/c/sprint/").headers["ETag"]
        response = as_ben.get("/c/sprint/", headers={"if-none-match": etag})
        assert response.status_code == 200
        assert "ETag" not in response.headers
        assert "Cookie" in response.headers["Vary"]
        assert "Sign out" in response.content.decode()

    def test_progress_of_a_rescore_is_never_stale(
        self, client: Client, sprint: Challenge, submit: Submit
    ) -> None:
        submit(sprint, "atlas", elapsed_ms=2)
        start_rescore(sprint)
        assert "ETag" not in client.get("/c/sprint/").headers

    def test_the_page_is_rendered_once_for_each_version(
        self,
        client: Client,
        as_ben: Client,
        sprint: Challenge,
        submit: Submit,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        submit(sprint, "atlas", elapsed_ms=2)
        first = get(client, "/c/sprint/")
        with django_assert_num_queries(1):
            assert get(client, "/c/sprint/") == first
        assert "Sign out" in get(as_ben, "/c/sprint/")
        assert "Sign out" not in get(client, "/c/sprint/?page=1")
        submit(sprint, "borealis", elapsed_ms=1)
        assert "borealis" in get(client, "/c/sprint/")

    def test_a_cached_board_is_updated_when_scoring_is_delayed(
        self,
        client: Client,
        sprint: Challenge,
        submit: Submit,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        """Nothing else has changed since the reader's copy."""
        submit(sprint, "atlas", elapsed_ms=2)
        record_alive, warning = workers.record_alive, "Scoring is delayed"
        assert warning in get(client, "/c/sprint/")
        for change, is_told in ((record_alive, False), (workers.remove_own_row, True)):
            etag = client.get("/c/sprint/").headers["ETag"]
            with django_assert_num_queries(1):
                get(client, "/c/sprint/", status=304, if_none_match=etag)
            change()
            cache.delete("scoring-delay")
            assert (warning in get(client, "/c/sprint/", if_none_match=etag)) == is_told

    @pytest.mark.parametrize("waits", [False, True])
    @pytest.mark.parametrize("works", [False, True])
    def test_an_unchanged_page_takes_one_query_if_the_delay_is_not_cached(
        self,
        client: Client,
        sprint: Challenge,
        submit: Submit,
        django_assert_num_queries: DjangoAssertNumQueries,
        works: bool,
        waits: bool,
    ) -> None:
        submit(sprint, "atlas", elapsed_ms=2)
        if works:
            workers.record_alive()
        if waits:
            waiting = submit(sprint, "borealis", scored=False)
            since = Now() - timedelta(days=3, minutes=30)
            Attempt.objects.filter(pk=waiting.pk).update(queued_at=since)
        etag = client.get("/c/sprint/").headers["ETag"]
        for _ in ("cold", "warm"):
            with django_assert_num_queries(1):
                get(client, "/c/sprint/", status=304, if_none_match=etag)
        delay = scoring_delay()
        cache.delete("scoring-delay")
        again = scoring_delay()
        assert (delay is None, again is None) == (works and not waits,) * 2
        if delay and again:
            assert (delay.works, round(delay.seconds, -2)) == (works, round(again.seconds, -2))
        cache.delete("scoring-delay")
        with django_assert_num_queries(1):
            get(client, "/c/sprint/", status=304, if_none_match=etag)

    def test_private_pages_are_not_shown_to_others(
        self, client: Client, as_ann: Client, make: Make, ann: User
    ) -> None:
        market = make("Market")
        etag = client.get("/c/market/").headers["ETag"]
        change_challenge(market, user=ann, fields={"visibility": "private"})
        get(client, "/c/market/", status=404, if_none_match=etag)
        get(as_ann, "/c/market/")


def columns(html: str) -> list[str]:
    return re.findall(r'aria-describedby="about-\d+">([^<]*)<', html)


def test_the_columns_are_those_of_ranked_attempts_also_in_a_search(
    client: Client, sprint: Challenge, submit: Submit
) -> None:
    submit(sprint, "atlas", elapsed_ms=500, rating=3)
    submit(sprint, "borealis", elapsed_ms=700)
    submit(sprint, "cirrus", succeeded=False, elapsed_ms=5, tokens_total=9, cost_usd=1)
    for path in ("/c/sprint/", "/c/sprint/?q=borealis"):
        assert columns(get(client, path)) == ["Time", "Rating"]
    html = get(client, "/c/sprint/rules/")
    table = html[html.index("What the board shows") : html.index("</table>")]
    assert re.findall(r'<th scope="row">([^<]*?) ?<', table) == ["Time", "Rating"]


def test_a_column_that_the_organiser_lists_is_shown_even_if_it_is_empty(
    client: Client, make: Make, submit: Submit
) -> None:
    submit(make("Sprint", columns=[{"key": "rating", "label": "Judges"}]), "atlas", elapsed_ms=5)
    assert "Judges" in columns(get(client, "/c/sprint/"))


def test_no_two_columns_have_the_same_label(client: Client, make: Make, submit: Submit) -> None:
    renamed = [{"key": "tokens_total", "label": "time"}]
    submit(make("Sprint", columns=renamed), "atlas", elapsed_ms=5, tokens_total=3)
    labels = columns(get(client, "/c/sprint/"))
    assert labels == ["Time", "time (tokens_total)"]
