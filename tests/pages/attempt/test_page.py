"""An attempt's page: every term of its score, and a message for every error."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.db.models.functions import Now
from django.test import Client

from leaderboard.models import Attempt, Challenge, Score, User, Worker
from leaderboard.services.attempts.retry import withdraw_attempt
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from leaderboard.services.scoring.single import score_attempt
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


def page(client: Client, attempt: Attempt, status: int = 200) -> str:
    return get(client, f"/attempts/{attempt.pk}/", status)


def test_the_page_shows_every_term_of_the_score(
    client: Client, weighted: Challenge, submit: Submit
) -> None:
    attempt = submit(weighted, "atlas", rating=8, elapsed_ms=12_500, tokens_total=1500)
    text = words(page(client, attempt))
    for part in (
        "Score 183.75",
        "Rank 1 of 1",
        "Status Scored",
        "Base +100",
        "Rating contribution +120",
        "Time penalty −6.25",
        "Token penalty −30",
        "version 1",
        "Time 12.5 s",
        "Tokens 1,500",
        "Rating 8.0",
    ):
        assert part in text
    kept = client.get(f"/attempts/{attempt.pk}/")["Cache-Control"]
    assert set(kept.split(", ")) == {"private", "no-cache"}


def test_the_page_explains_a_clamped_score(
    client: Client, weighted: Challenge, submit: Submit
) -> None:
    attempt = submit(weighted, "atlas", succeeded=False, elapsed_ms=85_000)
    text = words(page(client, attempt))
    assert "scorer −42.5" in text
    assert "+42.5 Score 0.00" in text


def test_the_page_of_a_waiting_attempt_reloads_itself(
    client: Client, weighted: Challenge, submit: Submit
) -> None:
    attempt = submit(weighted, "atlas", scored=False, rating=8)
    waiting = page(client, attempt)
    assert f'data-hx-get="/attempts/{attempt.pk}/" data-hx-trigger="every 1s"' in waiting
    score_attempt(attempt.pk)
    scored = page(client, attempt)
    assert "data-hx-get" not in scored


class TestFailure:
    @pytest.fixture
    def failed(self, weighted: Challenge, submit: Submit) -> Attempt:
        """An attempt with the error of a scorer; only the page is tested here."""
        attempt = submit(weighted, "atlas", rating=8)
        Score.objects.filter(attempt=attempt).update(
            value=None,
            raw_value=None,
            details=None,
            error_code="exception",
            error_message="The scorer stopped with ZeroDivisionError.",
            error_detail="Traceback: division by zero in secret_place.py",
            output="I was here",
        )
        return attempt

    def test_a_failure_has_a_message(self, client: Client, failed: Attempt) -> None:
        text = words(page(client, failed))
        assert "ZeroDivisionError" in text
        assert "Status Failed" in text

    def test_only_organisers_see_the_traceback(
        self, client: Client, as_ann: Client, as_ben: Client, failed: Attempt
    ) -> None:
        for outsider in (client, as_ben):
            html = page(outsider, failed)
            assert "secret_place" not in html
            assert "I was here" not in html
        html = page(as_ann, failed)
        assert "secret_place" in html
        assert "I was here" in html
        assert f'href="/admin/leaderboard/attempt/{failed.pk}/change/"' in html


class TestDetails:
    @pytest.fixture
    def attempt(self, weighted: Challenge, submit: Submit) -> Attempt:
        return submit(weighted, "atlas", rating=8)

    @pytest.mark.parametrize(
        ("visibility", "readers"), [("participant", {"ben", "ann"}), ("organiser", {"ann"})]
    )
    def test_private_details_are_for_those_whom_the_setting_names(
        self,
        client: Client,
        as_ann: Client,
        as_ben: Client,
        as_zoe: Client,
        attempt: Attempt,
        ann: User,
        visibility: str,
        readers: set[str],
    ) -> None:
        change_challenge(attempt.challenge, user=ann, fields={"details_visibility": visibility})
        clients = {"": client, "ann": as_ann, "ben": as_ben, "zoe": as_zoe}
        pages = {name: page(reader, attempt) for name, reader in clients.items()}
        assert {name for name, html in pages.items() if "Rating contribution" in html} == readers


def test_the_page_says_why_an_attempt_has_no_rank(
    client: Client, make: Make, submit: Submit
) -> None:
    sprint = make("Sprint")
    failed = submit(sprint, "borea", succeeded=False, elapsed_ms=1)
    assert "Not ranked" in words(page(client, failed))
    named = submit(make("Verses", "metric", rank_by=[{"key": "Solved"}]), "atlas", elapsed_ms=1)
    assert "No value for Solved" in words(page(client, named))
    best = submit(sprint, "atlas", elapsed_ms=1)
    worse = submit(sprint, "atlas", elapsed_ms=2)
    text = words(page(client, worse))
    assert "Another attempt" in text
    assert "Rank –" in text
    withdraw_attempt(best, reason="Knew the answer")
    assert "Knew the answer" in words(page(client, best))


def test_the_page_shows_scores_under_other_versions(
    client: Client, weighted: Challenge, submit: Submit, ann: User
) -> None:
    attempt = submit(weighted, "atlas", rating=8)
    change_challenge(weighted, user=ann, fields={"scoring_config": {"rating_weight": 5.0}})
    config, _ = start_rescore(Challenge.objects.get())
    work_on(config.pk)
    text = words(page(client, attempt))
    assert "Score 140.00" in text
    section = text.split("Under each version of the rules")[1]
    assert section.index("Version 2 140 −80") < section.index("Version 1 220 –")


def test_meta_and_note_are_shown_as_text(client: Client, make: Make, submit: Submit) -> None:
    attempt = submit(make("Sprint"), "atlas", elapsed_ms=1)
    meta = {"run": "https://example.org/1", "trap": "javascript:alert(1)", "model": "<b>big</b>"}
    Attempt.objects.filter(pk=attempt.pk).update(meta=meta, note="First <i>try</i>")
    html = page(client, attempt)
    assert '<a href="https://example.org/1" rel="nofollow noopener noreferrer">' in html
    assert 'href="javascript' not in html
    assert "&lt;b&gt;big&lt;/b&gt;" in html
    assert "&lt;i&gt;try" in html


def test_an_unknown_id_is_not_found(client: Client) -> None:
    get(client, f"/attempts/{uuid4()}/", status=404)


def test_a_waiting_attempt_has_its_queue_position(
    client: Client, make: Make, submit: Submit
) -> None:
    sprint = make("Sprint")
    first, second = (submit(sprint, "atlas", scored=False) for _ in range(2))
    assert "the next one" in words(page(client, first))
    assert "1 attempt comes before" in words(page(client, second))


def test_delayed_scoring_is_announced_to_all(client: Client, make: Make, submit: Submit) -> None:
    submit(make("Sprint"), "atlas", scored=False)
    assert "no worker" in words(get(client, "/"))
    Worker.objects.create(name="here:1:1", version="1")
    cache.clear()
    assert "Scoring is delayed" not in words(get(client, "/"))
    Attempt.objects.update(queued_at=Now() - timedelta(minutes=3))
    cache.clear()
    assert "for 3 minutes" in words(get(client, "/"))
