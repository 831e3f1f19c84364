"""Notifying never raises an error, and never waits long for a broker that does not answer."""

import json
import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from celery import current_app

from leaderboard.messages import queue
from tests.processes import ROOT
from tests.servers import free_port, running_redis

pytestmark = pytest.mark.once

RING = """
import json
import django; django.setup()
from leaderboard.messages import queue
queue.PAUSE_SECONDS = 600.0
print(json.dumps([queue.notify_workers(8) for _ in range(3)]))
"""

FULL = """
import json, os, redis
import django; django.setup()
from leaderboard.messages import queue
client = redis.Redis.from_url(os.environ["REDIS_URL"])
seen = [queue.notify_workers(), queue.answers(), queue.is_away(), queue.answers()]
client.config_set("maxmemory", 0)
seen += [queue.answers(), queue.is_away(), client.llen("podium"), client.ttl(queue.PROBE) <= 1]
print(json.dumps(seen))
"""
"""What a process sees of a Redis whose memory is full, and then is not."""

BURST = """
import json, os, redis, time, uuid
import django; django.setup()
from leaderboard.messages import queue
client = redis.Redis.from_url(os.environ["REDIS_URL"])
def unread():
    tasks = [json.loads(each)["headers"]["task"] for each in client.lrange("podium", 0, -1)]
    return [tasks.count(queue.SCORE_ATTEMPT), tasks.count(queue.SCORE_WAITING)]
seen = []
queue.SECONDS_OF_BURST = 60
assert all(queue.notify_of_attempt(uuid.uuid4()) for _ in range(100))
seen.append(unread())
client.rpop("podium", queue.ENOUGH_UNREAD - 3)
assert all(queue.notify_of_attempt(uuid.uuid4()) for _ in range(100))
seen.append(unread())
queue.SECONDS_OF_BURST = 0
assert all(queue.notify_of_attempt(uuid.uuid4()) for _ in range(100))
seen.append(unread())
print(json.dumps(seen))
"""
"""The unread messages of a hundred attempts in a burst, of a hundred more after a worker has read
all but three, and of a hundred that are not a burst."""


def connections_to(listener: socket.socket) -> int:
    """How often somebody has connected to a server that never answers."""
    listener.setblocking(False)
    accepted = 0
    with suppress(BlockingIOError):
        while True:
            listener.accept()[0].close()
            accepted += 1
    return accepted


def sent(port: int, folder: Path) -> list[Any]:
    """Return whether each of three notifications was sent."""
    answers, _ = ran(RING, f"redis://127.0.0.1:{port}/0", folder)
    return answers


def ran(script: str, redis_url: str, folder: Path) -> tuple[list[Any], str]:
    """Run a script in a process with this broker; return the list that it prints, and its log."""
    finished = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "DATA_DIR": str(folder),
            "REDIS_URL": redis_url,
        },
        capture_output=True,
        text=True,
        check=True,
    )
    answers: list[Any] = json.loads(finished.stdout)
    return answers, finished.stderr


def test_a_hanging_broker_is_asked_once(tmp_path: Path) -> None:
    """It costs one second, and nothing for a while after that. Kombu alone would ask it often."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert sent(listener.getsockname()[1], tmp_path) == [False] * 3
        assert connections_to(listener) == 1


def test_an_unavailable_broker_raises_no_error(tmp_path: Path) -> None:
    assert sent(free_port(), tmp_path) == [False] * 3


@pytest.mark.redis
def test_a_full_redis_accepts_no_messages(tmp_path: Path) -> None:
    """It answers, so only a write shows that it is full."""
    with running_redis("--maxmemory", "1") as url:
        answers, log = ran(FULL, url, tmp_path)
    assert answers == [False, False, True, False, True, False, 0, True]
    lines = [json.loads(line)["event"] for line in log.splitlines() if "broker" in line]
    first, last = lines
    assert "maxmemory" in first
    assert "again" in last


@pytest.mark.redis
def test_a_burst_of_attempts_sends_few_messages(tmp_path: Path) -> None:
    """There are more attempts than messages, so the last messages ask to score all that wait."""
    with running_redis() as url:
        answers, _ = ran(BURST, url, tmp_path)
    few, all_of_them = queue.MANY_UNREAD, queue.ENOUGH_UNREAD - queue.MANY_UNREAD
    assert answers[0] == [few, all_of_them]
    assert answers[1] == [few - 3, all_of_them + 3]
    assert answers[2] == [few - 3 + 100, all_of_them + 3]


def test_the_broker_is_tried_again_after_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    now = 100.0

    def away(task: str, **options: Any) -> None:
        raise OSError("no broker")

    def delivered(task: str, **options: Any) -> None:
        sent.append(task)

    monkeypatch.setattr(queue, "_silent_until", 0.0)
    monkeypatch.setattr("leaderboard.messages.queue.time.monotonic", lambda: now)
    monkeypatch.setattr(current_app, "send_task", away)
    assert not queue.notify_workers()
    monkeypatch.setattr(current_app, "send_task", delivered)
    assert not queue.notify_workers()
    now += queue.PAUSE_SECONDS
    assert queue.notify_workers()
    assert sent == [queue.SCORE_WAITING]


def test_the_backlog_counts_unread_notifications(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "_silent_until", 0.0)
    before = queue.backlog()
    try:
        assert queue.notify_workers(3)
        assert queue.backlog() == before + 3
    finally:
        current_app.control.purge()
    assert queue.backlog() == 0


def test_an_unknown_backlog_counts_as_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(**options: Any) -> Any:
        raise OSError

    monkeypatch.setattr(current_app.producer_pool, "acquire", gone)
    assert queue.backlog() == 0
