"""Changes of phases from before the audit log are in it, and stay public."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE = [("leaderboard", "0032_former_names")]
AFTER = [("leaderboard", "0033_audit_entries")]


def migrated(targets: list[tuple[str, str]]) -> Any:
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return executor.loader.project_state(targets).apps


def test_changes_of_phases_are_carried_over() -> None:
    try:
        old = migrated(BEFORE)
        tenant = old.get_model("leaderboard", "Tenant").objects.create(slug="t", name="T")
        challenge = old.get_model("leaderboard", "Challenge").objects.create(
            tenant=tenant, slug="sprint", name="Sprint"
        )
        event = old.get_model("leaderboard", "PhaseEvent").objects.create(
            challenge=challenge, phase="main", before={"total": 3}, after={"total": 5}
        )
        entry = migrated(AFTER).get_model("leaderboard", "AuditEntry").objects.get()
        assert (entry.pk, entry.challenge_id) == (event.pk, challenge.pk)
        assert (entry.kind, entry.object, entry.public) == ("phase", "main", True)
        assert (entry.before, entry.after) == ({"total": 3}, {"total": 5})
    finally:
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes())
