"""What the workers' isolation enforces, told by the workers themselves.

A worker attacks its own sandbox when it starts and leaves the findings in the cache, where the
web processes read them.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.core.cache import cache
from django.utils import timezone

from leaderboard.sandbox import IsolationReport
from leaderboard.services.plugins.sandboxes import isolation_report

KEY = "isolation-reports"
KEPT_SECONDS = 7 * 24 * 3600


class WorkerReport(NamedTuple):
    """The findings of one host's workers."""

    host: str
    at: datetime
    report: IsolationReport


def publish_isolation() -> IsolationReport:
    """Attack the sandbox of this process and tell everybody what came of it."""
    report = isolation_report()
    found: Mapping[str, Any] = cache.get(KEY) or {}
    mine = WorkerReport(socket.gethostname(), timezone.now(), report)
    cache.set(KEY, {**found, mine.host: mine}, KEPT_SECONDS)
    return report


def worker_reports() -> list[WorkerReport]:
    """The newest findings per host; empty when no worker has started since the cache was."""
    found: Mapping[str, WorkerReport] = cache.get(KEY) or {}
    return sorted(found.values())
