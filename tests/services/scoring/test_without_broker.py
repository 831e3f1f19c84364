"""Without a broker, the sweeper of each worker scores by itself."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from celery import current_app
from redis.exceptions import OutOfMemoryError

from leaderboard.messages import queue
from leaderboard.models import Attempt, Challenge
from leaderboard.operating import outages
from leaderboard.services.scoring import sweeper
from leaderboard.services.scoring.rescoring import start_rescore
from tests.services.conftest import Submit

pytestmark = pytest.mark.django_db(transaction=True)

send = queue._send


class OneRound(threading.Event):
    """An event that is set after the sweeper's first round."""

    def wait(self, timeout: float | None = None) -> bool:
        self.set()
        return True


@pytest.fixture
def away(notifications: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the broker refuse messages."""

    def fails(*args: Any, **options: Any) -> None:
        raise OSError("no broker")

    monkeypatch.setattr(queue, "_send", send)
    monkeypatch.setattr(queue, "_silent_until", 0.0)
    monkeypatch.setattr(queue, "_is_away", False)
    monkeypatch.setattr(current_app, "send_task", fails)
    monkeypatch.setattr(current_app, "connection_for_write", fails)


@pytest.fixture
def full(away: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the broker a Redis that answers, but has no memory for anything."""

    class Client:
        def set(self, *args: Any, **options: Any) -> None:
            raise OutOfMemoryError("OOM command not allowed when used memory > 'maxmemory'.")

    class Full:
        default_channel = SimpleNamespace(conn_or_acquire=lambda: nullcontext(Client()))

    def refuses(*args: Any, **options: Any) -> None:
        Client().set()

    monkeypatch.setattr(outages, "broker", outages.Outage("broker"))
    monkeypatch.setattr(current_app, "send_task", refuses)
    monkeypatch.setattr(current_app, "connection_for_write", lambda: nullcontext(Full()))


@pytest.mark.usefixtures("full")
def test_the_sweeper_scores_while_the_broker_is_full(
    sprint: Challenge, submit: Submit, caplog: pytest.LogCaptureFixture
) -> None:
    for at in range(3):
        submit(sprint, f"p{at}", elapsed_ms=at)
        sweeper.keep_sweeping(OneRound(), 5)
        assert not Attempt.objects.exclude(status="scored").exists()
    lines = [record.getMessage() for record in caplog.records if "broker" in record.getMessage()]
    assert len(lines) == 1, lines


@pytest.mark.usefixtures("away")
def test_the_sweeper_continues_a_rescore(sprint: Challenge, submit: Submit) -> None:
    submit(sprint, "atlas", elapsed_ms=5)
    assert queue.is_away()
    sweeper.keep_sweeping(OneRound(), 5)
    assert Attempt.objects.get().status == "scored"
    config, total = start_rescore(sprint)
    assert total == 1
    sweeper.keep_sweeping(OneRound(), 5)
    sprint.refresh_from_db()
    assert sprint.shown == config


@pytest.mark.usefixtures("full")
def test_the_sweeper_scores_when_only_celery_noticed_the_outage(
    sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that cannot connect has sent no message itself."""
    submit(sprint, "atlas", elapsed_ms=5)
    monkeypatch.setattr(queue, "_is_away", False)
    outages.broker.began("consumer: Cannot connect")
    sweeper.keep_sweeping(OneRound(), 5)
    assert Attempt.objects.get().status == "scored"


def test_with_a_broker_workers_are_notified(
    sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "_is_away", True)
    submit(sprint, "atlas", elapsed_ms=5)
    sweeper.keep_sweeping(OneRound(), 5)
    assert not queue.is_away(), "it was asked, and answers"
    assert Attempt.objects.get().status == "queued"
