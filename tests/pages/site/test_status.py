"""`/status/`: the state of the installation in words."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.db.models.functions import Now
from django.test import Client

from leaderboard.models import User, Worker
from leaderboard.operating import outages
from leaderboard.pages.labels import row_labels
from leaderboard.services.operations import gauges, health, status, workers
from leaderboard.version import VERSION

pytestmark = pytest.mark.django_db


def test_a_working_installation_says_so_without_its_version(client: Client) -> None:
    workers.record_alive()
    answer = client.get("/status/")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "<h1>Everything works</h1>" in page
    assert VERSION not in page


def test_a_lost_worker_is_shown(client: Client) -> None:
    workers.record_alive()
    Worker.objects.update(seen_at=Now() - timedelta(minutes=5, seconds=10))
    page = client.get("/status/").content.decode()
    assert "<h1>Scoring is delayed</h1>" in page
    assert "5 minutes ago" in page


def test_an_attempt_that_waits_long_is_shown(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers.record_alive()
    monkeypatch.setattr(status, "oldest_waiting_seconds", lambda: 7300.0)
    page = client.get("/status/").content.decode()
    assert "waited 2 hours" in page


def test_operators_see_more_details(
    client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(User.objects.create_superuser("root"))
    workers.record_alive()
    monkeypatch.setattr(status, "disk", lambda: gauges.Disk(free=4, total=100))
    page = client.get("/status/").content.decode()
    assert VERSION in page
    assert '<p class="notice error">4%' in page
    assert workers.own_name().split(":")[0] in page


@pytest.mark.parametrize("noticed", ["on the disk", "by a failed write"])
def test_strangers_are_told_of_a_full_disk_without_its_size(
    client: Client, monkeypatch: pytest.MonkeyPatch, noticed: str
) -> None:
    workers.record_alive()
    if noticed == "on the disk":
        monkeypatch.setattr(status, "disk", lambda: gauges.Disk(free=4096, total=987_654_321))
    else:
        monkeypatch.setattr(outages, "disk", outages.Outage("disk"))
        outages.disk.began("no space")
    page = client.get("/status/").content.decode()
    assert '<p class="notice error">' in page
    assert "<h1>Everything works" not in page
    for inner in ("4096", "987", "0%", "data folder"):
        assert inner not in page


def test_operators_see_what_fails_in_the_sweep_of_a_worker(client: Client) -> None:
    workers.record_alive()
    Worker.objects.update(
        failing=[{"part": "fill_boards", "times": 2, "since": "2026-11-27", "error": "KeyError"}]
    )
    assert "fill_boards" not in client.get("/status/").content.decode()
    client.force_login(User.objects.create_superuser("root"))
    host = workers.own_name().split(":")[0]
    page = client.get("/status/").content.decode()
    assert '<p class="notice error">fill_boards' in page
    assert f"{host}: KeyError" in page


def test_an_unavailable_database_is_shown(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """No user is read then, although this visitor has signed in."""
    client.force_login(User.objects.create_superuser("root"))

    def away() -> None:
        raise OperationalError("away")

    monkeypatch.setattr(health, "pending_migrations", away)
    answer = client.get("/status/")
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert "<h1>Everything works" not in answer.content.decode()


def test_durations_are_formatted() -> None:
    seconds = (0.4, 1.0, 119, 130, 7300, 200_000)
    texts = ["0 seconds", "1 second", "119 seconds", "2 minutes", "2 hours", "2 days"]
    assert [row_labels.duration(second) for second in seconds] == texts
