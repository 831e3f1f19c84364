"""Django's `manage.py migrate`, for which another label of a column is no change."""

from __future__ import annotations

from django.core.management.commands import migrate

from leaderboard.management.changes import ChangeDetector


class Command(migrate.Command):
    autodetector = ChangeDetector
