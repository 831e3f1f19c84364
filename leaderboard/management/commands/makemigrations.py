"""Django's `manage.py makemigrations`, for which another label of a column is no change."""

from __future__ import annotations

from django.core.management.commands import makemigrations

from leaderboard.management.changes import ChangeDetector


class Command(makemigrations.Command):
    autodetector = ChangeDetector
