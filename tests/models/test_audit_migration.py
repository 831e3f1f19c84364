"""Changes of phases from before the audit log are in it, and stay public."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

BEFORE = [("leaderboard", "0032_former_names")]
AFTER = [("leaderboard", "0033_audit_entries")]


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the squashed migration, which cannot stop at one of those that it replaces."""
    load = MigrationLoader.load_disk

    def load_disk(loader: MigrationLoader) -> None:
        load(loader)
        found = loader.disk_migrations.items()
        loader.disk_migrations = {key: each for key, each in found if not each.replaces}

    monkeypatch.setattr(MigrationLoader, "load_disk", load_disk)


def migrated(targets: list[tuple[str, str]]) -> Any:
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return executor.loader.project_state(targets).apps


@pytest.mark.usefixtures("one_by_one")
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
