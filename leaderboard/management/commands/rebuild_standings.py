from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from leaderboard.management.arguments import add_challenge, challenges_named
from leaderboard.management.base import ProductCommand
from leaderboard.services.board.standings.counting import rebuild_standings


class Command(ProductCommand):
    help = "Derive the standings again from attempts and scores, and write those that differ."

    def add_arguments(self, parser: CommandParser) -> None:
        add_challenge(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        for challenge in challenges_named(options["challenge"]):
            self.stdout.write(f"{challenge.slug}: {rebuild_standings(challenge)} standings")
