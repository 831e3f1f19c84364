"""The state of the installation, for people and for alerts: queue, workers, broker, disk."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import Error
from django.db.models.functions import Now

from leaderboard.messages import queue
from leaderboard.models import BlockedBoard, Challenge, User, Worker
from leaderboard.models.blocked_board import LockHolder
from leaderboard.operating import outages
from leaderboard.services.operations.failing_parts import FailingPart
from leaderboard.services.operations.gauges import Disk, disk
from leaderboard.services.operations.health import is_ready, oldest_waiting_seconds
from leaderboard.services.operations.workers import alive_within

HealthState = Literal["ok", "delayed", "down"]

KEPT_SECONDS = 1.0
"""How long a process answers `/status.json` without reading the state again."""
FULL_SECONDS = 600.0
"""How long after a failed write the disk counts as full. Only another write would show that it has
space again, and a process may get none for days."""
DELAYED_AFTER = 60.0
"""The seconds after which a waiting attempt makes the state `delayed`."""


_recent: tuple[float, Status] | None = None


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """A process that scores, how long ago it was last seen, and what fails in its sweeps."""

    host: str
    version: str
    started_at: datetime
    seen_seconds: float
    failing: list[FailingPart] = field(default_factory=list)

    @property
    def is_alive(self) -> bool:
        return self.seen_seconds < alive_within().total_seconds()


@dataclass(frozen=True, slots=True)
class BlockedChallenge:
    """A challenge whose results cannot be saved, since when, and who holds it, if a lock does.

    code: the SQLSTATE of the error; 55P03 means that another session holds a lock.
    """

    tenant: str
    challenge: str
    since: datetime
    code: str
    holders: list[LockHolder]


@dataclass(frozen=True, slots=True)
class Status:
    """`down`: the server cannot answer requests. `delayed`: new attempts are not scored soon.

    disk_is_full: whether submissions may fail, as this process has seen it or the disk says it.
    """

    database: bool
    oldest_waiting_seconds: float | None = None
    workers: list[WorkerStatus] = field(default_factory=list)
    disk_is_full: bool = False
    blocked: list[BlockedChallenge] = field(default_factory=list)

    @property
    def worker_seen_seconds(self) -> float | None:
        return min((worker.seen_seconds for worker in self.workers), default=None)

    @property
    def works(self) -> bool:
        """Whether a worker is alive."""
        return any(worker.is_alive for worker in self.workers)

    @property
    def state(self) -> HealthState:
        if not self.database:
            return "down"
        if self.blocked:
            return "delayed"
        return "delayed" if is_delayed(self.oldest_waiting_seconds, works=self.works) else "ok"


@dataclass(frozen=True, slots=True)
class Inside:
    """What only operators see. broker: whether it answers; None in embedded mode (no broker)."""

    broker: bool | None
    disk: Disk


def is_delayed(oldest_waiting_seconds: float | None, *, works: bool) -> bool:
    """Whether new attempts are not scored soon. works: whether a worker is alive."""
    return not works or (oldest_waiting_seconds or 0.0) >= DELAYED_AFTER


def status() -> Status:
    """Read the state with a few small queries. Does not raise if the database is unavailable."""
    try:
        if not is_ready():
            return Status(database=False)
        rows = Worker.objects.values_list(
            "name", "version", "started_at", "seen_at", "failing", Now()
        )
        workers = [
            WorkerStatus(
                host=name.rpartition(":")[0].rpartition(":")[0] or name,
                version=version,
                started_at=started_at,
                seen_seconds=max(0.0, (now - seen_at).total_seconds()),
                failing=failing,
            )
            for name, version, started_at, seen_at, failing, now in rows
        ]
        is_full = outages.disk.was_seen_within(FULL_SECONDS) or disk().is_full
        return Status(True, oldest_waiting_seconds(), workers, is_full, _blocked())
    except Error:
        return Status(database=False)


def _blocked() -> list[BlockedChallenge]:
    """The challenges whose results cannot be saved at present."""
    rows = {row.challenge_id: row for row in BlockedBoard.objects.current().order_by("since")}
    names = Challenge.objects.filter(pk__in=list(rows)) if rows else Challenge.objects.none()
    return [
        BlockedChallenge(tenant, slug, rows[pk].since, rows[pk].code, rows[pk].holders)
        for pk, tenant, slug in names.values_list("pk", "tenant__slug", "slug")
    ]


def recent_status() -> Status:
    """The state, as it was at most a second ago: anyone may ask for it as often as they like."""
    global _recent
    until, kept = _recent or (0.0, None)
    if kept is None or time.monotonic() >= until:
        kept = status()
        _recent = time.monotonic() + KEPT_SECONDS, kept
    return kept


def forget_status() -> None:
    """Let the next request read the state again."""
    global _recent
    _recent = None


def inside() -> Inside:
    return Inside(queue.answers() if settings.REDIS_URL else None, disk())


def is_operator(user: User | AnonymousUser | None, authorization: str = "") -> bool:
    """Whether a request may see details of the installation.

    Staff may, and requests with PROMETHEUS_TOKEN. authorization: the header of this name.
    """
    if user is not None and user.is_active and user.is_staff:
        return True
    expected = f"Bearer {settings.PROMETHEUS_TOKEN}"
    return bool(settings.PROMETHEUS_TOKEN) and secrets.compare_digest(
        authorization.encode(), expected.encode()
    )
