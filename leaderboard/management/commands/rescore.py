from __future__ import annotations

import sys
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from leaderboard.management.arguments import challenge_named
from leaderboard.management.bars import bar
from leaderboard.models import ScoringConfig
from leaderboard.services.rescoring import Progress, progress_of, start_rescore, work_on


class Command(BaseCommand):
    help = "Score every attempt of a challenge again under its newest scoring config."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("challenge", help="The challenge's slug.")
        parser.add_argument(
            "--wait", action="store_true", help="Help the workers, and return when all is done."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        config, attempts = start_rescore(challenge_named(options["challenge"]))
        self.stdout.write(f"scoring {attempts} attempts under version {config.number}")
        if options["wait"]:
            self._wait(config)

    def _wait(self, config: ScoringConfig) -> None:
        while True:
            worked = work_on(config.pk, seconds=0.5)
            config.refresh_from_db()
            progress = progress_of(config)
            self._draw(progress)
            if progress.finished:
                break
            if not worked:
                time.sleep(0.5)
        self.stdout.write(f"the board shows version {config.number}")

    def _draw(self, progress: Progress) -> None:
        """A bar that stays in its line on a terminal, a line now and then elsewhere."""
        ends = "\r" if sys.stdout.isatty() and not progress.finished else "\n"
        self.stdout.write(bar(progress.done, progress.total), ending=ends)
        self.stdout.flush()
