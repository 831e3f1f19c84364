from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import CommandParser

from leaderboard.management.arguments import add_challenge, challenges_named
from leaderboard.management.base import ProductCommand
from leaderboard.services.competition.quotas.recount import recount_quotas, verify_quotas


class Command(ProductCommand):
    help = "Count the uses of quotas again and print differences; exits 1 if there are any."

    def add_arguments(self, parser: CommandParser) -> None:
        add_challenge(parser)
        parser.add_argument(
            "--repair", action="store_true", help="replace the counters by what was counted"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        differences = 0
        for challenge in challenges_named(options["challenge"]):
            lines = verify_quotas(challenge)
            differences += len(lines)
            self.stdout.write(f"{challenge.slug}: {len(lines) or 'no'} differences")
            for line in lines:
                self.stdout.write(f"  {line}")
            if lines and options["repair"]:
                recount_quotas(challenge)
        if differences and not options["repair"]:
            sys.exit(1)
