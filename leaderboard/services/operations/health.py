"""Whether this server can answer requests. Called often, so nothing here is slow."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Case, Q, Subquery, When
from django.db.models.functions import Now

from leaderboard.models import Attempt
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.operating import outages
from leaderboard.services.plugins.isolation import WorkerReport, worker_reports

_migrated = False


@dataclass(frozen=True, slots=True)
class Health:
    """The health of a server. isolation: the workers' reports, empty before the first one."""

    database: bool
    pending_migrations: list[str]
    oldest_waiting_seconds: float | None
    isolation: list[WorkerReport]

    @property
    def is_ready(self) -> bool:
        """Whether the server can answer requests, however long attempts wait."""
        return self.database and not self.pending_migrations


def health() -> Health:
    """The state of the database, the queue and the isolation.

    Does not raise if the database is unavailable.
    """
    try:
        pending = pending_migrations()
        oldest = None if pending else oldest_waiting_seconds()
    except Error as error:
        outages.database.began(error)
        return Health(False, [], None, worker_reports())
    return Health(True, pending, oldest, worker_reports())


def is_ready() -> bool:
    """Whether this server can answer requests: the database is available and migrated."""
    try:
        if pending_migrations():
            return False
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error as error:
        outages.database.began(error)
        return False
    return True


def pending_migrations() -> list[str]:
    """Migrations that are not applied yet. Once there are none, the result is cached."""
    global _migrated
    if _migrated:
        return []
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    _migrated = not plan
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


def oldest_waiting_seconds() -> float | None:
    """How long the first fresh attempt has waited for a worker; None when none waits.

    An attempt whose worker was lost, or gave it back in the middle, has waited since then. Ignores
    history that an organiser imports: it has a lower priority and may wait.
    """
    first = Q(pk=Subquery(oldest_waiting().values("pk")[:1]))
    first |= Q(pk=Subquery(oldest_left().values("pk")[:1]))
    since = Case(When(status=Attempt.Status.QUEUED, then="queued_at"), default="lease_until")
    attempts = Attempt.objects.filter(first).order_by().annotate(now=Now(), since=since)
    waited = (seconds_between(*times) for times in attempts.values_list("now", "since"))
    return max(waited, default=None)


def oldest_waiting() -> AttemptQuerySet:
    """The fresh attempts that no worker has claimed, the oldest first."""
    fresh = Attempt.objects.queued().filter(priority=Attempt.Priority.FRESH)
    return fresh.order_by("queued_at")


def oldest_left() -> AttemptQuerySet:
    """The fresh attempts that a worker has claimed and no worker has, the longest first."""
    fresh = Attempt.objects.overdue().filter(priority=Attempt.Priority.FRESH)
    return fresh.order_by("lease_until")


def seconds_between(now: datetime, then: datetime) -> float:
    """The seconds from `then` to `now`, never below zero, even if clocks differ."""
    return max(0.0, (now - then).total_seconds())
