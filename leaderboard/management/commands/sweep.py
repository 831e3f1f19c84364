from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.services.scoring.sweeper import sweep


class Command(BaseCommand):
    help = "Notify workers of attempts that wait too long. Workers and beat do so by themselves."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{sweep()} attempts were waiting")
