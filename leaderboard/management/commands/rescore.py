from __future__ import annotations

import sys
import time
from typing import Any

from django.core.management.base import CommandError, CommandParser

from leaderboard.management.arguments import challenge_named
from leaderboard.management.bars import bar
from leaderboard.management.base import ProductCommand
from leaderboard.models import Challenge, ScoringConfig
from leaderboard.services.challenges.rescores import RescoreProgress, progress_of
from leaderboard.services.scoring.acceptance import may_go_on
from leaderboard.services.scoring.rescoring import start_rescore, work_on


class Command(ProductCommand):
    help = "Score every attempt of a challenge again under its newest scoring config."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("challenge", help="The challenge's slug.")
        parser.add_argument(
            "--wait",
            action="store_true",
            help="Help the workers, and return at the end of the rescore.",
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
                self._check_code(config)
                time.sleep(0.5)
        newest = Challenge.objects.get(pk=config.challenge_id).newest
        if newest.is_rescoring and newest != config:
            self.stdout.write(f"another rescore has begun, under version {newest.number}")
            self._wait(newest)
        else:
            self.stdout.write(f"the board shows version {config.number}")

    def _check_code(self, config: ScoringConfig) -> None:
        """Raises CommandError if the rescore waits for an organiser."""
        if config.is_rescoring and not may_go_on(config):
            held = Challenge.objects.get(pk=config.challenge_id).on_code_change
            if held == Challenge.OnCodeChange.HOLD:
                raise CommandError(
                    "the code of the challenge's plugins has changed since the rescore began; "
                    "decide on the board how to go on, or run this command again"
                )

    def _draw(self, progress: RescoreProgress) -> None:
        """Draw a progress bar: it stays in its line on a terminal, and is a new line elsewhere."""
        ends = "\r" if sys.stdout.isatty() and not progress.finished else "\n"
        self.stdout.write(bar(progress.done, progress.total), ending=ends)
        self.stdout.flush()
