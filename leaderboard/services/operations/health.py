"""Whether this server can answer requests. Called often, so nothing here is slow."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models.functions import Now

from leaderboard import outages
from leaderboard.models import Attempt
from leaderboard.models.attempt import AttemptQuerySet
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
    """How long the first fresh attempt in the queue has waited; None when none waits.

    Ignores history that an organiser imports: it has a lower priority and may wait.
    """
    first = oldest_waiting().annotate(now=Now()).values_list("now", "queued_at").first()
    return None if first is None else seconds_between(*first)


def oldest_waiting() -> AttemptQuerySet:
    """The fresh attempts in the queue, the oldest first."""
    fresh = Attempt.objects.queued().filter(priority=Attempt.Priority.FRESH)
    return fresh.order_by("queued_at")


def seconds_between(now: datetime, then: datetime) -> float:
    """The seconds from `then` to `now`, never below zero, even if clocks differ."""
    return max(0.0, (now - then).total_seconds())
