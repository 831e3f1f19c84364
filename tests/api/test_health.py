"""`/healthz` and `/readyz`, for whoever watches the server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from leaderboard.models import Attempt, Challenge
from leaderboard.rules.ids import uuid7
from leaderboard.sandbox import IsolationReport, ThreatReport
from leaderboard.services import health, isolation
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


@pytest.mark.django_db
def test_ready(anyone: Api) -> None:
    answer = anyone.get("/readyz")
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
def test_how_long_the_oldest_waits(anyone: Api, organiser: Api, sprint: Challenge) -> None:
    body = {**ME, "submitted_at": "2001-01-01T00:00:00Z"}
    assert organiser.post("challenges/sprint/attempts/", body).status_code == 202
    assert 0 <= anyone.get("/readyz").json()["oldest_waiting_seconds"] < 60
    early = uuid7().int - (3600_000 << 80)
    Attempt.objects.update(id=f"{early:032x}")
    assert 3590 < anyone.get("/readyz").json()["oldest_waiting_seconds"] < 3660


@pytest.mark.django_db
def test_a_migration_that_is_missing(anyone: Api) -> None:
    ((_, newest),) = MigrationLoader(connection).graph.leaf_nodes("leaderboard")
    MigrationRecorder(connection).record_unapplied("leaderboard", newest)
    answer = anyone.get("/readyz")
    assert answer.status_code == 503
    assert f"leaderboard.{newest}" in answer.json()["migrations"]["pending"]


@pytest.mark.django_db
def test_a_database_that_is_away(anyone: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise OperationalError("password of 10.0.0.5 is wrong")

    monkeypatch.setattr(health, "pending_migrations", away)
    answer = anyone.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["database"] == "does not answer"
    assert b"10.0.0.5" not in answer.content


@pytest.mark.django_db
def test_what_the_workers_found(anyone: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    threats = [ThreatReport("network", False, (), "sockets open"), ThreatReport("files", True)]
    report = IsolationReport("prefer", threats, ("rlimits",), ("network namespace",))
    monkeypatch.setattr(isolation, "isolation_report", lambda: report)
    isolation.publish_isolation()
    found = anyone.get("/readyz").json()["isolation"]
    assert found["complete"] is False
    (worker,) = found["workers"]
    assert worker["missing"] == ["network namespace"]
    assert [(each["name"], each["enforced"]) for each in worker["threats"]] == [
        ("network", False),
        ("files", True),
    ]
    assert worker["at"] <= timezone.now().isoformat()
    assert "host" not in worker
