"""`/healthz`, `/readyz` and `/status.json`, which monitor the server."""

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
from django.test import Client
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, User, Worker
from leaderboard.sandbox import IsolationReport, ThreatReport
from leaderboard.services.operations import gauges, health, space, status, workers
from leaderboard.services.plugins import isolation
from leaderboard.version import VERSION
from tests.api.conftest import ME, Api


@pytest.fixture(autouse=True)
def _unknown(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(health, "_migrated", False)
    monkeypatch.setattr(status, "KEPT_SECONDS", 0.0)
    yield
    cache.clear()


def test_the_process_answers_without_a_database() -> None:
    """There is no `db` fixture, so a query would fail this test."""
    answer = Api().get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/status.json"])
def test_other_methods_are_not_allowed(path: str) -> None:
    answer = Client(enforce_csrf_checks=True, headers={"host": "localhost"}).post(path)
    assert (answer.status_code, answer["Allow"], answer.content) == (405, "GET, HEAD", b"")


@pytest.fixture
def staff(db: None) -> Api:
    return Api(user=User.objects.create_superuser("root"))


@pytest.mark.django_db
def test_anonymous_requests_get_one_word(anyone: Api, submitter: Api, organiser: Api) -> None:
    for somebody in (anyone, submitter, organiser):
        answer = somebody.get("/readyz")
        assert (answer.status_code, answer.json()) == (200, {"status": "ready"})


@pytest.mark.django_db
def test_operators_read_the_parts_of_a_ready_server(staff: Api) -> None:
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
def test_repeated_requests_take_one_query(anyone: Api, django_assert_num_queries: Any) -> None:
    anyone.get("/readyz")
    with django_assert_num_queries(1):
        anyone.get("/readyz")


@pytest.mark.django_db
def test_the_waiting_time_of_the_oldest_attempt_is_reported(
    staff: Api, organiser: Api, sprint: Challenge
) -> None:
    body = {**ME, "submitted_at": "2001-01-01T00:00:00Z"}
    assert organiser.post("challenges/sprint/attempts/", body).status_code == 202
    assert staff.get("/readyz").json()["oldest_waiting_seconds"] is None, "history may wait"
    assert organiser.post("challenges/sprint/attempts/", ME).status_code == 202
    assert 0 <= staff.get("/readyz").json()["oldest_waiting_seconds"] < 60
    Attempt.objects.update(queued_at=Now() - timedelta(hours=1))
    assert 3590 < staff.get("/readyz").json()["oldest_waiting_seconds"] < 3660


@pytest.mark.django_db
def test_a_missing_migration_is_reported(anyone: Api, settings: Any) -> None:
    graph = MigrationLoader(connection).graph
    ((app, newest),) = graph.leaf_nodes("leaderboard")
    for key in ((app, newest), *graph.nodes[app, newest].replaces):
        MigrationRecorder(connection).record_unapplied(*key)
    answer = anyone.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "not ready"})
    assert answer["Retry-After"] == "10"
    settings.PROMETHEUS_TOKEN = "right"
    whole = anyone.get("/readyz", Authorization="Bearer right").json()
    assert f"leaderboard.{newest}" in whole["migrations"]["pending"]


@pytest.mark.django_db
def test_an_unavailable_database_is_reported(
    anyone: Api, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise OperationalError("password of 10.0.0.5 is wrong")

    monkeypatch.setattr(health, "pending_migrations", away)
    answer = anyone.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "not ready"})
    assert answer["Retry-After"] == "10"
    settings.PROMETHEUS_TOKEN = "right"
    answer = anyone.get("/readyz", Authorization="Bearer right")
    assert answer.json()["database"] == "does not answer"
    assert b"10.0.0.5" not in answer.content
    answer = anyone.get("/status.json")
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert answer.json()["state"] == "down"


@pytest.mark.django_db
def test_the_isolation_report_of_workers_is_shown(
    staff: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    threats = [ThreatReport("network", False, (), "sockets open"), ThreatReport("files", True)]
    report = IsolationReport("prefer", threats, ("rlimits",), ("network namespace",))
    monkeypatch.setattr(isolation, "isolation_report", lambda: report)
    isolation.publish_isolation()
    isolation_report = staff.get("/readyz").json()["isolation"]
    assert isolation_report["complete"] is False
    (worker,) = isolation_report["workers"]
    assert worker["missing"] == ["network namespace"]
    assert [(threat["name"], threat["enforced"]) for threat in worker["threats"]] == [
        ("network", False),
        ("files", True),
    ]
    assert worker["at"] <= timezone.now().isoformat()
    assert "host" not in worker


@pytest.mark.django_db
def test_scoring_is_delayed_without_a_worker(anyone: Api, staff: Api) -> None:
    """Without a worker all submitted attempts wait, so scoring counts as delayed."""
    body = anyone.get("/status.json").json()
    assert body == {
        "state": "delayed",
        "oldest_waiting_seconds": None,
        "worker_seen_seconds": None,
    }
    workers.record_alive()
    body = anyone.get("/status.json").json()
    assert (body["state"], len(body)) == ("ok", 3)
    assert 0 <= body["worker_seen_seconds"] < 30
    whole = staff.get("/status.json").json()
    assert (whole["version"], whole["broker"]) == (VERSION, "in memory")
    assert whole["disk"]["is_low"] is False
    assert [(worker["version"], worker["is_alive"]) for worker in whole["workers"]] == [
        (VERSION, True)
    ]


@pytest.mark.django_db
def test_staff_see_what_fails_in_the_sweep_of_a_worker(anyone: Api, staff: Api) -> None:
    workers.record_alive()
    since = timezone.now().isoformat()
    part = {"part": "fill_boards", "times": 7, "since": since, "error": "OverflowError"}
    Worker.objects.update(failing=[part])
    (worker,) = staff.get("/status.json").json()["workers"]
    assert worker["failing"] == [part]
    assert "fill_boards" not in anyone.get("/status.json").content.decode()


@pytest.mark.django_db
def test_a_full_disk_is_reported_to_staff(staff: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    assert staff.get("/status.json").json()["disk"]["is_full"] is False
    full = gauges.Disk(free=31 * 2**20, total=2**40)
    monkeypatch.setattr(status, "disk", lambda: full)
    assert staff.get("/status.json").json()["disk"]["is_full"] is True


@pytest.mark.django_db
def test_the_status_is_read_once_a_second(
    anyone: Api, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    monkeypatch.setattr(status, "KEPT_SECONDS", 60.0)
    assert anyone.get("/status.json").json()["state"] == "delayed"
    workers.record_alive()
    with django_assert_num_queries(0):
        assert anyone.get("/status.json").json()["state"] == "delayed"
    status.forget_status()
    assert anyone.get("/status.json").json()["state"] == "ok"


@pytest.mark.django_db
def test_a_lost_worker_is_reported(anyone: Api) -> None:
    workers.record_alive()
    Worker.objects.update(seen_at=Now() - timedelta(minutes=5))
    body = anyone.get("/status.json").json()
    assert body["state"] == "delayed"
    assert 290 < body["worker_seen_seconds"] < 400


@pytest.mark.django_db
def test_a_broker_that_does_not_answer_is_reported(staff: Api, settings: Any) -> None:
    settings.REDIS_URL = "redis://elsewhere"
    assert staff.get("/status.json").json()["broker"] == "ok"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("leaderboard.messages.queue.answers", lambda: False)
        assert staff.get("/status.json").json()["broker"] == "does not answer"


def test_little_disk_space_is_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(space, "_logged", False)
    counts = []
    for free in (60, 4, 3, 50, 60):
        monkeypatch.setattr(space, "disk", lambda free=free: gauges.Disk(free, 100))
        space.log_little_space()
        counts.append(len(caplog.records))
    assert counts == [0, 1, 1, 2, 2]
    assert "5 %" in caplog.messages[0]
