"""The tests' database has all migrations."""

from __future__ import annotations

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

pytestmark = pytest.mark.django_db


def test_the_copied_database_is_up_to_date() -> None:
    """The tests' database is a copy of one that an earlier run may have migrated."""
    executor = MigrationExecutor(connection)
    assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []
    assert ContentType.objects.filter(app_label="leaderboard", model="attempt").exists()
