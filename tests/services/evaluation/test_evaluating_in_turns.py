"""Long evaluations: workers pause and continue them, so that other attempts need not wait."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.db.models.functions import Now

from leaderboard.models import Attempt, Challenge, ResultBlock, Score, User
from leaderboard.services.attempts.retry import withdraw_attempt
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading.ranking import page_after
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.evaluation import evaluate, time_slices
from leaderboard.services.scoring import single
from leaderboard.services.scoring.claims import claim
from leaderboard.services.scoring.sweeper import RELEASE_PATIENCE, sweep
from tests.services.conftest import Bring
from tests.services.evaluation.evaluating import Make, nine, read, scored
from tests.services.threads import at_once
from tests.services.workers import lose_workers, next_claim

pytestmark = pytest.mark.usefixtures("in_house")


@pytest.mark.usefixtures("small_blocks", "no_turns")
def test_an_evaluation_continues_where_it_was_paused(
    make: Make, bring: Bring, asked: list[int], notifications: list[tuple[Any, ...]]
) -> None:
    challenge = make("words", "twice")
    attempt = bring(challenge, evaluation=nine())
    notifications.clear()
    assert single.score_attempt(attempt.pk)
    waiting = read(attempt)
    assert (waiting.status, waiting.lease_token, waiting.deliveries) == ("scoring", None, 0)
    assert notifications == [("score_waiting",)]
    assert 0 < len(asked) < 10
    assert scored(attempt).metric_values["WORDS"]["value"] == 5.0
    assert sorted(asked) == sorted([*range(5), *range(5)]), "no block is computed twice"


@pytest.mark.usefixtures("small_blocks", "no_turns")
def test_a_paused_evaluation_continues_although_its_notification_is_lost(
    make: Make, bring: Bring, notifications: list[tuple[Any, ...]]
) -> None:
    attempt = bring(make("words"), evaluation=nine())
    single.score_attempt(attempt.pk)
    notifications.clear()
    assert sweep() == 0
    Attempt.objects.filter(pk=attempt.pk).update(lease_until=Now() - RELEASE_PATIENCE)
    assert sweep() == 1
    assert notifications == [("score_waiting",)]


@pytest.mark.usefixtures("small_blocks")
def test_short_attempts_do_not_wait_for_long_ones(
    make: Make, bring: Bring, sprint: Challenge, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = bring(make({"id": "slow", "parameters": {"seconds": 0.5}}), evaluation=nine())
    beside: list[str] = []
    keep = evaluate._Store.now

    def looking(store: Any) -> None:
        keep(store)
        if not beside:
            new = NewAttempt(participant="boreas", metrics={"succeeded": True, "elapsed_ms": 5})
            short, _ = submit_attempt(challenge=sprint, user=alice, new=new)
            beside.append(str(short.pk))

    monkeypatch.setattr(evaluate._Store, "now", looking)
    monkeypatch.setattr(single, "SECONDS_OF_BACKGROUND_SCORING", 0.01)
    assert single.score_attempt(long.pk)
    first, second = Score.objects.order_by("created_at", "pk")
    assert (str(first.attempt_id), second.attempt_id) == (beside[0], long.pk)


@pytest.mark.usefixtures("small_blocks")
def test_long_attempts_do_not_wait_for_all_short_ones(
    make: Make, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each short attempt has a message, and the broker may hold hundreds of them."""
    long = bring(make("words"), evaluation=nine())
    for _ in range(3):
        bring(make("words"), metrics={"elapsed_ms": 5})
    monkeypatch.setattr(single, "_long_due", time.monotonic() + 60)
    assert single.score_next()
    assert read(long).status == Attempt.Status.QUEUED
    monkeypatch.setattr(single, "_long_due", 0.0)
    assert single.score_next()
    assert read(long).status == Attempt.Status.SCORED


@pytest.mark.usefixtures("small_blocks")
def test_the_oldest_long_attempt_comes_first(make: Make, bring: Bring) -> None:
    challenge = make("words")
    begun, other = (bring(challenge, name, evaluation=nine()) for name in ("atlas", "boreas"))
    for _ in range(2):
        claimed = next_claim("long")
        assert claimed.attempt == begun, "what was begun is finished first"
        claimed.release()
        lose_workers()
    assert claim(begun.pk)
    assert next_claim("long").attempt == other


@pytest.mark.usefixtures("small_blocks")
def test_a_begun_attempt_comes_before_those_that_arrive_later(make: Make, bring: Bring) -> None:
    """Also one that began long before it was due, because workers had nothing else to do."""
    challenge = make("words")
    for _ in range(2):
        bring(challenge, "atlas", evaluation=nine())
    begun = [next_claim("long"), next_claim("long")]
    bring(challenge, "boreas", evaluation=nine())
    for claimed in begun:
        claimed.release()
    lose_workers()
    again = [next_claim("long").attempt.participant.handle for _ in range(2)]
    assert again == ["atlas", "atlas"]


@pytest.mark.usefixtures("small_blocks", "no_turns")
def test_an_attempt_may_be_withdrawn_while_it_is_evaluated(make: Make, bring: Bring) -> None:
    challenge = make("words")
    attempt = bring(challenge, evaluation=nine())
    single.score_attempt(attempt.pk)
    withdraw_attempt(attempt, reason="the wrong file")
    assert scored(attempt).metric_values["WORDS"]["value"] == 5.0
    challenge.refresh_from_db()
    (row,) = page_after(board_at(challenge)).rows
    assert (row.rank, row.unranked) == (None, "withdrawn")
    assert verify_standings(challenge) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("small_blocks")
def test_several_workers_evaluate_each_attempt_once(
    make: Make, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_slices, "SECONDS_PER_TIME_SLICE", 0.1)
    challenge = make("words", {"id": "slow", "parameters": {"seconds": 0.05}})
    attempts = [bring(challenge, f"p{at % 3}", evaluation=nine()) for at in range(6)]

    def work() -> None:
        for _ in range(60):
            single.score_waiting()

    at_once([work] * 3)
    assert {read(attempt).status for attempt in attempts} == {"scored"}
    assert Score.objects.count() == 6
    assert ResultBlock.objects.count() == 6 * 2 * 5
    assert {score.metric_values["WORDS"]["value"] for score in Score.objects.all()} == {5.0}
    challenge.refresh_from_db()
    assert verify_standings(challenge) == []
