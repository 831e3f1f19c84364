from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import CommandParser

from leaderboard.management.arguments import add_challenge, challenges_named
from leaderboard.management.base import ProductCommand
from leaderboard.models import EventLog
from leaderboard.services.events.verifying import faults_of


class Command(ProductCommand):
    help = (
        "Check the chain of each log and the anchors, and print faults; exits 1 if there are any."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_challenge(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        has_faults = False
        for challenge in challenges_named(options["challenge"]):
            faults = list(faults_of(challenge.pk))
            has_faults = has_faults or bool(faults)
            log = EventLog.objects.filter(pk=challenge.pk).first()
            end = f"{log.seq} events, link {bytes(log.link).hex()}" if log else "no log"
            self.stdout.write(f"{challenge.slug}: {len(faults) or 'no'} faults, {end}")
            for fault in faults:
                self.stdout.write(f"  {fault}")
        if has_faults:
            sys.exit(1)
