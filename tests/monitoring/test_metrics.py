"""The metrics that Prometheus reads at `/metrics`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.db import OperationalError
from django.db.models.functions import Now
from django.test import Client, RequestFactory
from django.urls import path
from prometheus_client.parser import text_string_to_metric_families

from leaderboard import urls
from leaderboard.messages import queue
from leaderboard.models import Attempt, Challenge, ScoringConfig, Tally, Tenant, Worker
from leaderboard.monitoring.metrics import metrics
from leaderboard.operating import outages
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.operations import gauges, tallies
from leaderboard.services.operations.workers import record_alive
from leaderboard.services.scoring import single
from leaderboard.services.scoring.rescoring import start_rescore
from leaderboard.version import VERSION
from tests.api.conftest import ME, Api

pytestmark = pytest.mark.django_db

send = queue._send

RIGHT = {"Authorization": "Bearer right"}


@pytest.fixture(autouse=True)
def _counting(db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Begin with no counts, also where a thread that another test has started stored some."""
    settings.PROMETHEUS_TOKEN = "right"
    monkeypatch.setattr(tallies, "_flushes", False)
    tallies._amounts.clear()
    Tally.objects.all().delete()
    yield
    tallies._amounts.clear()


def exported_values() -> dict[tuple[str, ...], float]:
    """Return every sample by its name and the values of its labels."""
    answer = metrics(RequestFactory().get("/metrics", headers=RIGHT))
    assert answer.status_code == 200
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }


def test_only_a_request_with_the_token_reads_metrics(
    settings: Any, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(urls, "urlpatterns", [*urls.urlpatterns, path("metrics", metrics)])
    settings.ROOT_URLCONF = type("conf", (), {"urlpatterns": urls.urlpatterns})
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 404
    answer = client.get("/metrics", headers=RIGHT)
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    assert answer["Content-Type"].startswith("text/plain")


def test_without_a_token_in_the_settings_there_are_no_metrics(client: Client) -> None:
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_the_queue_is_measured(submitter: Api, sprint: Challenge) -> None:
    before = exported_values()
    assert before["podium_oldest_waiting_seconds",] == 0
    assert before["podium_workers_alive",] == 0
    for name in ("atlas", "boreas", "chaos"):
        submitter.post("challenges/sprint/attempts/", {**ME, "participant": name})
    lost, worked_on, _ = Attempt.objects.order_by("pk")
    rows = Attempt.objects.filter(pk__in=[lost.pk, worked_on.pk])
    rows.update(status="scoring", lease_until=Now() + timedelta(minutes=1))
    record_alive()
    now = exported_values()
    assert now["podium_attempts_waiting", "default"] == 1
    assert now["podium_attempts_scoring",] == 2
    assert now["podium_workers_alive",] == 1
    assert 0 < now["podium_oldest_waiting_seconds",] < 600
    Attempt.objects.filter(pk=lost.pk).update(lease_until=Now() - timedelta(minutes=1))
    Worker.objects.update(seen_at=Now() - timedelta(hours=1))
    now = exported_values()
    assert now["podium_attempts_waiting", "default"] == 2
    assert now["podium_attempts_scoring",] == 1
    assert now["podium_workers_alive",] == 0
    assert 59 < now["podium_oldest_waiting_seconds",] < 600, "the one whose worker was lost"
    Attempt.objects.filter(status="queued").delete()
    assert 59 < exported_values()["podium_oldest_waiting_seconds",] < 600
    Attempt.objects.filter(pk=lost.pk).update(lease_until=Now() + timedelta(minutes=1))
    assert exported_values()["podium_oldest_waiting_seconds",] == 0


def test_ended_attempts_are_measured(submitter: Api, sprint: Challenge) -> None:
    sent = submitter.post("challenges/sprint/attempts/", ME).json()["id"]
    Attempt.objects.filter(pk=sent).update(
        status="scoring", lease_until=Now() - timedelta(minutes=1), deliveries=1
    )
    single.score_waiting()
    now = exported_values()
    assert now["podium_attempts_total", "scored", "default"] == 1
    assert now["podium_leases_lost_total",] == 1
    assert now["podium_scoring_seconds_count",] == 1
    assert now["podium_scoring_seconds_bucket", "+Inf"] == 1
    assert now["podium_scoring_seconds_bucket", "600"] == 1


def test_parts_of_the_sweep_that_fail_are_measured(db: None) -> None:
    part = {"part": "fill_boards", "times": 2, "since": "2026-11-27", "error": "KeyError"}
    moments = {"a:1:1": Now(), "b:1:1": Now(), "lost:1:1": Now() - timedelta(hours=1)}
    for name, seen_at in moments.items():
        Worker.objects.create(name=name, version=VERSION, seen_at=seen_at, failing=[part])
    assert exported_values()["podium_sweep_failing", "fill_boards"] == 2, "workers that are alive"
    Worker.objects.update(failing=[])
    assert not [key for key in exported_values() if key[0] == "podium_sweep_failing"]


def test_messages_that_the_broker_does_not_accept_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuses(*args: Any, **options: Any) -> None:
        raise OSError("no broker")

    assert exported_values()["podium_notifications_unsent_total",] == 0
    for name, value in (("_silent_until", 0.0), ("_is_away", False), ("_send", send)):
        monkeypatch.setattr(queue, name, value)
    monkeypatch.setattr(outages, "broker", outages.Outage("broker"))
    monkeypatch.setattr(current_app, "send_task", refuses)
    assert not queue.notify_workers()
    assert not queue.notify_of_rescore(1), "no message is tried for a while"
    assert exported_values()["podium_notifications_unsent_total",] == 2


def test_requests_are_measured(submitter: Api, sprint: Challenge) -> None:
    submitter.post("challenges/sprint/attempts/", ME)
    submitter.get("challenges/sprint/")
    submitter.get("challenges/missing/")
    submitter.get("/healthz")
    now = exported_values()
    assert now["podium_requests_total", "POST", "202"] == 1
    assert now["podium_requests_total", "GET", "200"] == 1
    assert now["podium_requests_total", "GET", "404"] == 1
    assert now["podium_request_seconds_count",] == 3


def test_unknown_methods_share_one_label(client: Client) -> None:
    client.generic("BREW", "/")
    assert exported_values()["podium_requests_total", "other", "405"] == 1


def test_rescores_of_two_tenants_with_the_same_slug_are_measured(
    submitter: Api, sprint: Challenge
) -> None:
    submitter.post("challenges/sprint/attempts/", ME)
    single.score_waiting()
    assert not [key for key in exported_values() if key[0].startswith("podium_rescore")]
    other = Tenant.objects.create(slug="other", name="Other")
    fields = {"name": "Sprint", "scoring_strategy": "fastest", "visibility": "private"}
    theirs = create_challenge(tenant=other, user=None, fields=fields)
    Challenge.objects.filter(pk=theirs.pk).update(slug="sprint")
    start_rescore(sprint)
    configs = ScoringConfig.objects.filter(challenge=theirs)
    configs.update(rescore_started_at=Now(), rescore_total=7, rescore_finished_at=None)
    now = exported_values()
    assert now["podium_rescore_attempts", "sprint", "default"] == 1
    assert now["podium_rescore_done", "sprint", "default"] == 0
    assert now["podium_rescore_attempts", "sprint", "other"] == 7


def test_version_and_disk_are_measured() -> None:
    now = exported_values()
    assert now["podium_info", VERSION] == 1
    assert 0 < now["podium_disk_free_bytes",] <= now["podium_disk_size_bytes",]
    assert now["podium_database_up",] == 1


def test_an_unavailable_database_is_reported_as_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any) -> None:
        raise OperationalError("away")

    monkeypatch.setattr(tallies, "totals", away)
    now = exported_values()
    assert now["podium_database_up",] == 0
    assert ("podium_disk_free_bytes",) in now
    assert ("podium_workers_alive",) not in now


def test_free_disk_space_is_a_share(monkeypatch: pytest.MonkeyPatch) -> None:
    assert gauges.Disk(free=4, total=100).share_free == 0.04
    assert gauges.Disk(free=0, total=0).share_free == 1.0
