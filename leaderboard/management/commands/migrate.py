"""Django's `manage.py migrate`, for which another label of a column is no change.

An empty database gets its tables at once.
"""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from leaderboard.database.empty import create_tables
from leaderboard.management.changes import ChangeDetector

PARTLY = ("app_label", "fake", "fake_initial", "plan", "check_unapplied", "prune")
"""Options of which each asks for something else than all migrations."""


class Command(migrate.Command):
    autodetector = ChangeDetector

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if not any(options[name] for name in PARTLY) and not connection.introspection.table_names():
            create_tables(connection)
        super().handle(*args, **options)
