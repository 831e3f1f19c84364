"""What the isolation of the workers' sandboxes enforces, as tests on each host found out.

A worker attacks its own sandbox when it starts and stores the findings in the cache, where the web
processes read them.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from django.core.cache import cache
from django.utils import timezone

from leaderboard.sandbox import IsolationReport
from leaderboard.services.plugins.sandboxes import isolation_report

KEY = "isolation-reports"
KEPT_SECONDS = 7 * 24 * 3600
LOCK = f"{KEY}:lock"
LOCK_SECONDS = 5


class WorkerReport(NamedTuple):
    """The findings of one host's workers."""

    host: str
    at: datetime
    report: IsolationReport


def publish_isolation() -> IsolationReport:
    """Attack the sandbox of this process and publish the findings."""
    report = isolation_report()
    mine = WorkerReport(socket.gethostname(), timezone.now(), report)
    with _locked():
        reports: Mapping[str, object] = cache.get(KEY) or {}
        cache.set(KEY, {**reports, mine.host: mine}, KEPT_SECONDS)
    return report


def worker_reports() -> list[WorkerReport]:
    """The newest findings per host; empty if no worker has started since the cache was emptied."""
    reports: Mapping[str, WorkerReport] = cache.get(KEY) or {}
    return sorted(reports.values())


@contextmanager
def _locked() -> Iterator[None]:
    """Wait until no other process changes the reports. A killed process delays others by 5 s."""
    while not cache.add(LOCK, True, LOCK_SECONDS):
        time.sleep(0.02)
    try:
        yield
    finally:
        cache.delete(LOCK)
