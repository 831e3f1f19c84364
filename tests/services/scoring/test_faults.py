"""A failing host, database or cache only delays scoring."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import OperationalError, transaction

from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.operating import outages
from leaderboard.sandbox import IsolationMissing
from leaderboard.services import transactions
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.operations import workers
from leaderboard.services.scoring import claims, single, sweeper
from leaderboard.services.transactions import TRIES, retried
from tests.services.conftest import Submit

WEIGHTED = "scorers.weighted:WeightedScorer"


def not_here(*args: Any, **options: Any) -> Any:
    raise IsolationMissing(["network"])


@pytest.mark.django_db
def test_a_host_that_may_not_score_returns_the_attempt_to_the_queue(
    sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=5)
    monkeypatch.setattr(single, "outcomes", not_here)
    for _ in range(claims.MAX_DELIVERIES + 1):
        with pytest.raises(IsolationMissing):
            single.score_waiting()
    attempt.refresh_from_db()
    assert (attempt.status, attempt.deliveries, attempt.lease_token) == ("queued", 0, None)
    monkeypatch.undo()
    assert single.score_attempt(attempt.pk)


@pytest.mark.django_db
def test_a_slow_task_ends_and_notifies_again(
    sprint: Challenge,
    submit: Submit,
    notifications: list[tuple[Any, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for number in range(3):
        submit(sprint, "atlas", elapsed_ms=number)
    notifications.clear()
    monkeypatch.setattr(single, "SECONDS_PER_NOTIFICATION", 0.0)
    assert single.score_waiting() == 1
    assert notifications == [("score_waiting",)]
    assert Attempt.objects.queued().count() == 2


def test_the_sweeper_survives_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = threading.Event()
    errors: list[type[Exception]] = [OperationalError, MemoryError, LookupError]

    def sweep() -> int:
        error = errors.pop()
        if not errors:
            stop.set()
        raise error

    monkeypatch.setattr(workers, "record_alive", lambda: None)
    monkeypatch.setattr(workers, "remove_own_row", lambda: None)
    monkeypatch.setattr(sweeper, "sweep", sweep)
    sweeper.keep_sweeping(stop, 0.001)
    assert errors == []


def test_a_worker_whose_sweep_takes_long_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """A round fills boards, and scores while the broker is away: that may take minutes."""
    stop, enough, beats, left = threading.Event(), threading.Event(), [], []

    def record_alive() -> bool:
        beats.append(1)
        if len(beats) == 3:
            enough.set()
        return False

    def sweep() -> int:
        stop.set()
        assert enough.wait(60)
        return 0

    monkeypatch.setattr(sweeper, "follow_clock", lambda: False)
    monkeypatch.setattr(workers, "record_alive", record_alive)
    monkeypatch.setattr(workers, "remove_own_row", lambda: left.append(len(beats)))
    monkeypatch.setattr(sweeper, "sweep", sweep)
    monkeypatch.setattr(sweeper, "log_little_space", lambda: None)
    sweeper.keep_sweeping(stop, 0.001)
    assert len(beats) >= 3
    assert left == [len(beats)], "the row is not written again after it was deleted"


def test_the_sweeper_logs_once_that_the_sandbox_does_not_work(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    stop, swept = threading.Event(), []

    def sweep() -> int:
        swept.append(1)
        if len(swept) == 3:
            stop.set()
        return int(not_here())

    monkeypatch.setattr(outages, "sandbox", outages.Outage("sandbox"))
    monkeypatch.setattr(sweeper, "follow_clock", lambda: False)
    monkeypatch.setattr(sweeper, "deliver_waiting", lambda: None)
    monkeypatch.setattr(workers, "record_alive", lambda: None)
    monkeypatch.setattr(workers, "remove_own_row", lambda: None)
    monkeypatch.setattr(sweeper, "sweep", sweep)
    sweeper.keep_sweeping(stop, 0.001)
    assert len([record for record in caplog.records if record.levelname == "ERROR"]) == 1


@pytest.mark.django_db
def test_a_score_shows_that_the_sandbox_works_again(
    tenant: Tenant, alice: User, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    outage = outages.Outage("sandbox")
    monkeypatch.setattr(outages, "sandbox", outage)
    fields = {"scoring_strategy": "custom", "scoring_entrypoint": WEIGHTED, "name": "Ring toss"}
    challenge = create_challenge(tenant=tenant, user=alice, fields=fields)
    outage.began("missing")
    single.score_attempt(submit(challenge, "atlas", elapsed_ms=5).pk)
    assert not outage.goes_on


def test_the_sweeper_survives_a_sandbox_that_does_not_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sweeper, "publish_isolation", not_here)
    sweeper.report_isolation()


@pytest.mark.django_db
def test_a_conflict_in_the_database_is_retried(
    sprint: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("leaderboard.services.transactions.sleep", pauses.append)
    tries = 0

    def work() -> str:
        nonlocal tries
        tries += 1
        Challenge.objects.filter(pk=sprint.pk).update(name=f"try {tries}")
        if tries < TRIES:
            raise OperationalError("deadlock detected")
        return "done"

    assert retried(work) == "done"
    sprint.refresh_from_db()
    assert sprint.name == f"try {TRIES}"
    assert len(pauses) == TRIES - 1
    assert all(0 <= pause < transactions.PAUSE_SECONDS * 2**n for n, pause in enumerate(pauses))


@pytest.mark.django_db
def test_a_lasting_conflict_in_the_database_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.services.transactions.sleep", lambda seconds: None)

    def work() -> None:
        raise OperationalError("deadlock detected")

    with pytest.raises(OperationalError), transaction.atomic():
        retried(work)
