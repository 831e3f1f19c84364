from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import CommandParser

from leaderboard.management.arguments import add_challenge, challenges_named
from leaderboard.management.base import ProductCommand
from leaderboard.services.board.standings.counting import verify_standings


class Command(ProductCommand):
    help = "Derive the standings again, compare, and print differences; exits 1 if there are any."

    def add_arguments(self, parser: CommandParser) -> None:
        add_challenge(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        differences = 0
        for challenge in challenges_named(options["challenge"]):
            lines = verify_standings(challenge)
            differences += len(lines)
            self.stdout.write(f"{challenge.slug}: {len(lines) or 'no'} differences")
            for line in lines:
                self.stdout.write(f"  {line}")
        if differences:
            sys.exit(1)
