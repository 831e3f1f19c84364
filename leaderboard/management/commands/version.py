from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.version import VERSION


class Command(BaseCommand):
    help = "Print only the version of the product."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(VERSION)
