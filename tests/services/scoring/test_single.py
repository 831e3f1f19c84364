"""Leases and fencing tokens: each attempt is scored exactly once, if workers are killed or late."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.db.models.sql.compiler import SQLCompiler, SQLUpdateCompiler
from django.test.utils import CaptureQueriesContext
from structlog.contextvars import get_contextvars

from leaderboard.messages import queue
from leaderboard.models import Attempt, Challenge, Score, ScoringConfig, Standing
from leaderboard.operating.request_ids import caused_by
from leaderboard.sandbox import Failure, Outcome
from leaderboard.services.attempts.retry import restore_attempt, retry_attempt, withdraw_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading.ranking import page_after, standing_of
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.errors import ServiceError
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore
from leaderboard.services.scoring import claims, single
from leaderboard.services.scoring.outcomes import NOTHING_TO_RUN
from leaderboard.services.scoring.sweeper import sweep
from tests.services.conftest import Submit
from tests.services.threads import at_once
from tests.services.workers import claimed, lose_workers

BROKEN = NOTHING_TO_RUN._replace(error=Failure("exception", "The scorer failed.", "trace"))


@pytest.fixture
def outcome(monkeypatch: pytest.MonkeyPatch) -> list[Outcome]:
    """A list with the outcome that every attempt gets: `outcome[:] = [BROKEN]`."""
    current_outcome = [NOTHING_TO_RUN]

    def outcomes(config: ScoringConfig, attempts: Sequence[AttemptToScore], *, fresh: bool) -> Any:
        return iter(current_outcome * len(attempts))

    monkeypatch.setattr(single, "outcomes", outcomes)
    return current_outcome


def test_a_scored_attempt_is_on_the_board(sprint: Challenge, submit: Submit) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=900, cost_usd=0.5)
    assert single.score_attempt(attempt.pk)
    attempt.refresh_from_db()
    assert (attempt.status, attempt.deliveries, attempt.lease_token) == ("scored", 1, None)
    assert attempt.finished_at is not None
    sprint.refresh_from_db()
    (row,) = page_after(board_at(sprint)).rows
    assert (row.rank, row.attempt_id, row.attempts) == (1, attempt.pk, 1)
    assert row.values == {"elapsed_ms": 900, "cost_usd": 0.5}
    assert board_at(sprint).version == 1


def test_a_second_notification_changes_nothing(sprint: Challenge, submit: Submit) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=900)
    assert single.score_attempt(attempt.pk)
    assert not single.score_attempt(attempt.pk)
    assert Score.objects.count() == 1
    assert Standing.objects.get().attempts == 1


def test_a_claimed_attempt_cannot_be_claimed_again(sprint: Challenge, submit: Submit) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=900)
    claimed(attempt)
    assert not single.score_attempt(attempt.pk)
    assert not Score.objects.exists()


def test_a_late_result_is_dropped(sprint: Challenge, submit: Submit) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=900)
    slow = claimed(attempt)
    lose_workers()
    assert single.score_attempt(attempt.pk), "another worker takes it when the lease has run out"
    assert not single._score_claimed(slow)
    assert Score.objects.count() == 1
    assert Standing.objects.get().attempts == 1


def test_an_attempt_that_lost_three_workers_fails(sprint: Challenge, submit: Submit) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=900)
    for _ in range(claims.MAX_DELIVERIES):
        claimed(attempt)
        lose_workers()
    assert not single.score_attempt(attempt.pk)
    assert sweep() == 0, "a worker that is alive and could not save may still say so"
    lose_workers()
    assert sweep() == 1
    attempt.refresh_from_db()
    assert attempt.status == "failed"
    assert Score.objects.get().error_code == "worker_lost"
    (row,) = page_after(board_at(sprint)).rows
    assert (row.rank, row.unranked) == (None, "failed")
    retry_attempt(attempt)
    assert single.score_attempt(attempt.pk)
    (row,) = page_after(board_at(sprint)).rows
    assert row.rank == 1


def test_the_sweeper_notifies_workers_of_waiting_attempts(
    sprint: Challenge, submit: Submit, notifications: list[tuple[Any, ...]]
) -> None:
    young, old, lost = (submit(sprint, name, elapsed_ms=1) for name in ("a", "b", "c"))
    Attempt.objects.filter(pk=old.pk).update(queued_at=Now() - timedelta(minutes=1))
    claimed(lost)
    lose_workers()
    notifications.clear()
    assert sweep() == 2
    assert notifications == [("score_waiting",)] * 2
    assert single.score_waiting() == 3
    assert young.scores.exists()


def test_the_sweeper_sends_no_more_notifications_than_are_read(
    sprint: Challenge,
    submit: Submit,
    notifications: list[tuple[Any, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for at in range(9):
        submit(sprint, "atlas", elapsed_ms=at)
    Attempt.objects.update(queued_at=Now() - timedelta(minutes=1))
    notifications.clear()
    monkeypatch.setattr(queue, "backlog", lambda: 5)
    assert sweep() == 9
    assert len(notifications) == 3
    monkeypatch.setattr(queue, "backlog", lambda: 50)
    assert sweep() == 9
    assert len(notifications) == 3


def test_waiting_attempts_are_scored_up_to_a_limit(
    sprint: Challenge, submit: Submit, notifications: list[tuple[Any, ...]]
) -> None:
    for number in range(3):
        submit(sprint, f"p{number}", elapsed_ms=number)
    notifications.clear()
    assert single.score_waiting(limit=2) == 2
    assert notifications == [("score_waiting",)], "the rest has a notification of its own"
    assert single.score_waiting() == 1


def test_a_failed_attempt_has_an_error_and_can_be_retried(
    sprint: Challenge, submit: Submit, outcome: list[Outcome]
) -> None:
    outcome[:] = [BROKEN]
    attempt = submit(sprint, "atlas", elapsed_ms=900)
    single.score_attempt(attempt.pk)
    attempt.refresh_from_db()
    assert attempt.status == "failed"
    score = Score.objects.get()
    assert (score.error_code, score.error_message) == ("exception", "The scorer failed.")
    assert score.error_detail == "trace"
    outcome[:] = [NOTHING_TO_RUN]
    retry_attempt(attempt)
    assert not Standing.objects.exists()
    single.score_attempt(attempt.pk)
    assert Standing.objects.get().attempts == 1
    with pytest.raises(ServiceError):
        retry_attempt(attempt)


def test_the_next_best_attempt_replaces_a_withdrawn_one(sprint: Challenge, submit: Submit) -> None:
    fast, slow = submit(sprint, "atlas", elapsed_ms=1), submit(sprint, "atlas", elapsed_ms=2)
    single.score_waiting()
    withdraw_attempt(fast, reason="used the answers")
    (row,) = page_after(board_at(sprint)).rows
    assert (row.attempt_id, row.attempts) == (slow.pk, 1)
    withdraw_attempt(slow, reason="likewise")
    (row,) = page_after(board_at(sprint)).rows
    assert (row.rank, row.unranked) == (None, "withdrawn")
    restore_attempt(fast)
    (row,) = page_after(board_at(sprint)).rows
    assert (row.rank, row.attempt_id) == (1, fast.pk)
    assert verify_standings(sprint) == []
    with pytest.raises(ServiceError):
        withdraw_attempt(fast, reason="  ")


def test_an_attempt_may_be_withdrawn_while_it_is_scored(sprint: Challenge, submit: Submit) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=900)
    claim = claimed(attempt)
    withdraw_attempt(attempt, reason="a mistake")
    assert single._score_claimed(claim)
    (row,) = page_after(board_at(sprint)).rows
    assert row.unranked == "withdrawn"
    assert verify_standings(sprint) == []


def test_new_attempts_are_also_ranked_on_an_older_shown_board(
    sprint: Challenge, submit: Submit
) -> None:
    single.score_attempt(submit(sprint, "atlas", elapsed_ms=900).pk)
    sprint = change_challenge(sprint, user=None, fields={"scoring_strategy": "fewest_tokens"})
    attempt = submit(sprint, "bolt", elapsed_ms=100, tokens_total=7)
    single.score_attempt(attempt.pk)
    assert sprint.shown != sprint.newest
    assert {score.config_id for score in attempt.scores.all()} == {
        sprint.shown.pk,
        sprint.newest.pk,
    }
    assert [row.participant.handle for row in page_after(board_at(sprint)).rows] == [
        "bolt",
        "atlas",
    ]


def test_latest_counts_the_newest_attempt(sprint: Challenge, submit: Submit) -> None:
    sprint = change_challenge(sprint, user=None, fields={"counting": "latest"})
    attempts = [submit(sprint, "atlas", elapsed_ms=elapsed_ms) for elapsed_ms in (10, 30, 20)]
    for attempt in reversed(attempts):
        single.score_attempt(attempt.pk)
    row = standing_of(board_at(sprint), attempts[0].participant)
    assert row is not None
    assert (row.attempt_id, row.attempts) == (attempts[-1].pk, 3)
    withdraw_attempt(attempts[-1], reason="a mistake")
    row = standing_of(board_at(sprint), attempts[0].participant)
    assert row is not None
    assert row.attempt_id == attempts[1].pk


@pytest.mark.django_db(transaction=True)
def test_many_workers_score_each_attempt_exactly_once(sprint: Challenge, submit: Submit) -> None:
    for number in range(40):
        submit(sprint, f"p{number % 7}", elapsed_ms=1 + number % 5)

    assert sum(at_once([single.score_waiting] * 4)) == 40
    assert Score.objects.count() == 40
    assert sum(standing.attempts for standing in Standing.objects.all()) == 40
    assert verify_standings(sprint) == []
    sprint.refresh_from_db()
    assert board_at(sprint).version == 40


def test_each_ended_attempt_has_a_log_line(
    sprint: Challenge,
    submit: Submit,
    outcome: list[Outcome],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    good, bad = submit(sprint, "atlas"), submit(sprint, "boreas")
    single.score_attempt(good.pk)
    outcome[:] = [BROKEN]
    single.score_attempt(bad.pk)
    records: list[Any] = [record for record in caplog.records if record.msg == "attempt ended"]
    assert [(record.attempt, record.result) for record in records] == [
        (str(good.pk), "scored"),
        (str(bad.pk), "failed"),
    ]
    assert {(record.tenant, record.challenge) for record in records} == {
        (sprint.tenant.slug, sprint.slug)
    }
    assert records[1].error == "exception"
    assert all(record.ms >= 0 for record in records)


def test_lines_of_scoring_have_the_attempt_and_its_request(
    sprint: Challenge, submit: Submit, outcome: list[Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    contexts: list[dict[str, Any]] = []
    monkeypatch.setattr(single, "log_claimed", lambda claimed: contexts.append(get_contextvars()))
    with caused_by("request-1"):
        first = submit(sprint, "atlas")
    second = submit(sprint, "boreas")
    for attempt in (first, second):
        single.score_attempt(attempt.pk)
    assert contexts == [
        {"request_id": "request-1", "attempt": str(first.pk)},
        {"attempt": str(second.pk)},
    ]
    assert get_contextvars() == {}


def test_a_worker_builds_the_sql_of_an_attempt_once(
    sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Building it each time took two thirds of the worker's time for an attempt."""
    first, second = submit(sprint, "atlas", elapsed_ms=5), submit(sprint, "nova", elapsed_ms=4)
    assert single.score_attempt(first.pk)
    built: list[str] = []
    for compiler in (SQLCompiler, SQLUpdateCompiler):
        as_sql = compiler.as_sql

        def recorded_as_sql(self: Any, *args: Any, as_sql: Any = as_sql, **kwargs: Any) -> Any:
            sql, params = as_sql(self, *args, **kwargs)
            built.append(sql)
            return sql, params

        monkeypatch.setattr(compiler, "as_sql", recorded_as_sql)
    with CaptureQueriesContext(connection) as asked:
        assert single.score_attempt(second.pk)
    assert built == []
    assert len(asked) <= 19
