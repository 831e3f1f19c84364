"""The isolation reports that workers publish in the cache."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.core.cache import cache

from leaderboard.sandbox import IsolationReport
from leaderboard.services.plugins import isolation
from tests.helpers.caches import CheckedCache

REPORT = IsolationReport("prefer", (), (), ())


def test_hosts_that_start_at_the_same_time_lose_no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second host publishes between the first one's reading and writing of the reports."""
    second = threading.Thread(target=isolation.publish_isolation, name="second")
    read = CheckedCache.get

    def get(self: CheckedCache, key: Any, *args: Any, **options: Any) -> Any:
        value = read(self, key, *args, **options)
        if key == isolation.KEY and threading.current_thread().name == "first":
            second.start()
            second.join(timeout=0.3)
        return value

    monkeypatch.setattr(isolation, "isolation_report", lambda: REPORT)
    monkeypatch.setattr("socket.gethostname", lambda: threading.current_thread().name)
    monkeypatch.setattr(CheckedCache, "get", get)
    first = threading.Thread(target=isolation.publish_isolation, name="first")
    first.start()
    first.join()
    second.join()
    assert [worker_report.host for worker_report in isolation.worker_reports()] == [
        "first",
        "second",
    ]


def test_a_killed_host_does_not_block_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "isolation_report", lambda: REPORT)
    cache.set(isolation.LOCK, True, 0.1)
    isolation.publish_isolation()
    assert len(isolation.worker_reports()) == 1
