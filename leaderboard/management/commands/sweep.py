from __future__ import annotations

from typing import Any

from leaderboard.management.base import ProductCommand
from leaderboard.services.scoring.sweeper import sweep


class Command(ProductCommand):
    help = "Notify workers of attempts that wait too long. Workers and beat do so by themselves."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{sweep()} attempts were waiting")
