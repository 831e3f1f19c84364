"""`/healthz`, `/readyz` and `/status.json`, for whoever watches the server."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models.functions import Now
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, User, Worker
from leaderboard.sandbox import IsolationReport, ThreatReport
from leaderboard.services.operations import gauges, health, space, workers
from leaderboard.services.plugins import isolation
from leaderboard.version import VERSION
from tests.api.conftest import ME, Api


@pytest.fixture(autouse=True)
def _unknown(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(health, "_migrated", False)
    yield
    cache.clear()


def test_the_process_answers_without_a_database() -> None:
    """No `db` fixture: a question to the database would fail this test."""
    answer = Api().get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert "no-store" in answer["Cache-Control"]


@pytest.fixture
def staff(db: None) -> Api:
    return Api(user=User.objects.create_superuser("root"))


@pytest.mark.django_db
def test_strangers_are_told_one_word(anyone: Api, submitter: Api, organiser: Api) -> None:
    for somebody in (anyone, submitter, organiser):
        answer = somebody.get("/readyz")
        assert (answer.status_code, answer.json()) == (200, {"status": "ready"})


@pytest.mark.django_db
def test_ready(staff: Api) -> None:
    answer = staff.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ready",
        "database": "ok",
        "migrations": {"pending": []},
        "oldest_waiting_seconds": None,
        "isolation": {"complete": None, "workers": []},
    }


@pytest.mark.django_db
def test_asked_again_it_is_cheap(anyone: Api, django_assert_num_queries: Any) -> None:
    anyone.get("/readyz")
    with django_assert_num_queries(1):
        anyone.get("/readyz")


@pytest.mark.django_db
def test_how_long_the_oldest_waits(staff: Api, organiser: Api, sprint: Challenge) -> None:
    body = {**ME, "submitted_at": "2001-01-01T00:00:00Z"}
    assert organiser.post("challenges/sprint/attempts/", body).status_code == 202
    assert staff.get("/readyz").json()["oldest_waiting_seconds"] is None, "history may wait"
    assert organiser.post("challenges/sprint/attempts/", ME).status_code == 202
    assert 0 <= staff.get("/readyz").json()["oldest_waiting_seconds"] < 60
    Attempt.objects.update(queued_at=Now() - timedelta(hours=1))
    assert 3590 < staff.get("/readyz").json()["oldest_waiting_seconds"] < 3660


@pytest.mark.django_db
def test_a_migration_that_is_missing(anyone: Api, settings: Any) -> None:
    ((_, newest),) = MigrationLoader(connection).graph.leaf_nodes("leaderboard")
    MigrationRecorder(connection).record_unapplied("leaderboard", newest)
    answer = anyone.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "not ready"})
    settings.PROMETHEUS_TOKEN = "right"
    whole = anyone.get("/readyz", Authorization="Bearer right").json()
    assert f"leaderboard.{newest}" in whole["migrations"]["pending"]


@pytest.mark.django_db
def test_a_database_that_is_away(
    anyone: Api, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise OperationalError("password of 10.0.0.5 is wrong")

    monkeypatch.setattr(health, "pending_migrations", away)
    answer = anyone.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "not ready"})
    settings.PROMETHEUS_TOKEN = "right"
    answer = anyone.get("/readyz", Authorization="Bearer right")
    assert answer.json()["database"] == "does not answer"
    assert b"10.0.0.5" not in answer.content
    answer = anyone.get("/status.json")
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert answer.json()["state"] == "down"


@pytest.mark.django_db
def test_what_the_workers_found(staff: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    threats = [ThreatReport("network", False, (), "sockets open"), ThreatReport("files", True)]
    report = IsolationReport("prefer", threats, ("rlimits",), ("network namespace",))
    monkeypatch.setattr(isolation, "isolation_report", lambda: report)
    isolation.publish_isolation()
    found = staff.get("/readyz").json()["isolation"]
    assert found["complete"] is False
    (worker,) = found["workers"]
    assert worker["missing"] == ["network namespace"]
    assert [(each["name"], each["enforced"]) for each in worker["threats"]] == [
        ("network", False),
        ("files", True),
    ]
    assert worker["at"] <= timezone.now().isoformat()
    assert "host" not in worker


@pytest.mark.django_db
def test_status_for_alerts(anyone: Api, staff: Api) -> None:
    """Without a worker whatever is submitted waits, and so scoring is delayed already."""
    body = anyone.get("/status.json").json()
    assert body == {
        "state": "delayed",
        "oldest_waiting_seconds": None,
        "worker_seen_seconds": None,
    }
    workers.seen()
    body = anyone.get("/status.json").json()
    assert (body["state"], len(body)) == ("ok", 3)
    assert 0 <= body["worker_seen_seconds"] < 30
    whole = staff.get("/status.json").json()
    assert (whole["version"], whole["broker"]) == (VERSION, "in memory")
    assert whole["disk"]["is_low"] is False
    assert [(each["version"], each["is_alive"]) for each in whole["workers"]] == [(VERSION, True)]


@pytest.mark.django_db
def test_a_worker_that_is_not_seen_any_more(anyone: Api) -> None:
    workers.seen()
    Worker.objects.update(seen_at=Now() - timedelta(minutes=5))
    body = anyone.get("/status.json").json()
    assert body["state"] == "delayed"
    assert 290 < body["worker_seen_seconds"] < 400


@pytest.mark.django_db
def test_a_broker_that_does_not_answer(staff: Api, settings: Any) -> None:
    settings.REDIS_URL = "redis://elsewhere"
    assert staff.get("/status.json").json()["broker"] == "ok"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("leaderboard.queue.answers", lambda: False)
        assert staff.get("/status.json").json()["broker"] == "does not answer"


def test_little_space_is_told_of_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(space, "_told", False)
    for free in (60, 4, 3, 50, 60):
        monkeypatch.setattr(space, "disk", lambda free=free: gauges.Disk(free, 100))
        space.tell_little_space()
    assert [each.getMessage() for each in caplog.records] == [
        "less than 5 % of the disk of DATA_DIR is free",
        "the disk of DATA_DIR has room again",
    ]
