"""Is this server fit to serve? Asked often, so nothing here is slow."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from leaderboard.models import Attempt
from leaderboard.services.isolation import WorkerReport, worker_reports

logger = logging.getLogger(__name__)

_migrated = False


@dataclass(frozen=True, slots=True)
class Health:
    """What there is to say. `isolation` is empty while no worker has told what it found."""

    database: bool
    pending_migrations: list[str]
    oldest_waiting_seconds: float | None
    isolation: list[WorkerReport]

    @property
    def is_ready(self) -> bool:
        """Whether requests can be answered: attempts that wait make a server late, not unfit."""
        return self.database and not self.pending_migrations


def health() -> Health:
    """The state of the database, the queue and the isolation. A database away is no exception."""
    try:
        pending = pending_migrations()
        oldest = None if pending else oldest_waiting_seconds()
    except DatabaseError as error:
        logger.warning("the database does not answer: %s", error)
        return Health(False, [], None, worker_reports())
    return Health(True, pending, oldest, worker_reports())


def pending_migrations() -> list[str]:
    """Migrations that are not applied yet. Once there are none, nobody looks again."""
    global _migrated
    if _migrated:
        return []
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    _migrated = not plan
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


def oldest_waiting_seconds() -> float | None:
    """How long the first attempt in the queue has been there; None when none waits.

    Its id tells when it came: `submitted_at` may be years ago, for organisers bring history.
    """
    first = Attempt.objects.queued().values_list("pk", flat=True).first()
    return None if first is None else max(0.0, time.time() - (first.int >> 80) / 1000)
