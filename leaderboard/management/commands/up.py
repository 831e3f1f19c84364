from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from leaderboard.management import welcome
from leaderboard.management.alone import is_alone
from leaderboard.management.embedded import bind, serve
from leaderboard.models import Attempt, Challenge, User
from leaderboard.services.plugins.catalogue import keep_in, search_again
from leaderboard.services.scoring.leases import void_leases

SCORED_WITHIN = 60.0
"""The seconds after which the box is shown again, even if attempts still wait."""
SECONDS_PER_LOOK = 0.5


class Command(BaseCommand):
    help = "Serve everything from one process: web pages, API, worker, sweeper."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--port", type=int, default=8000, help="The port; 0 means any free one."
        )
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument(
            "--no-demo", action="store_true", help="Start without the demo challenges."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        server = bind(options["host"], options["port"])
        keep_in(Path(settings.DATA_DIR, "plugins.list"))
        search_again()  # so that the list of plugins is ready before its page is opened
        if _has_migrations_to_apply():
            call_command("migrate", verbosity=0, interactive=False)
        if connection.vendor == "sqlite" and is_alone(settings.DATA_DIR):
            void_leases()  # of its former self, which may have been killed
        if not options["no_demo"] and not Challenge.objects.exists():
            # needed once only
            from leaderboard.management.demo import libraries_are_missing, load_demo

            with transaction.atomic():  # all or nothing, so that the next start can try again
                load_demo()
            if libraries_are_missing():
                self.stderr.write(
                    "The demo leaves out the text metrics BLEU, chrF and ROUGE. To have them:"
                    " python -m pip install nltk sacrebleu rouge-score"
                )
        serve(server, when_ready=self._ready)

    def _ready(self, url: str) -> None:
        self.stdout.write(f"ready {url}")
        password = _first_organiser()
        if self.stdout.isatty():
            self._show(welcome.on_a_terminal(url, settings.DATA_DIR, password))
        elif password:
            kept = welcome.keep_password(settings.DATA_DIR, password)
            self.stdout.write(welcome.in_a_log(url, kept))
        self.stdout.flush()
        connection.close()

    def _show(self, box: str) -> None:
        """Show the box, and again below the lines of the attempts that are scored first.

        On the first start, those of the demo would leave nothing of it on the screen.
        """
        self.stdout.write(box)
        self.stdout.flush()
        until = time.monotonic() + SCORED_WITHIN
        was_waiting = is_waiting = Attempt.objects.unfinished().exists()
        while is_waiting and time.monotonic() < until:
            time.sleep(SECONDS_PER_LOOK)
            is_waiting = Attempt.objects.unfinished().exists()
        if was_waiting:
            self.stdout.write(box)


def _has_migrations_to_apply() -> bool:
    """Return whether `migrate` has something to do: without that it takes a third of a second.

    It also records a squashed migration as soon as all that it replaces are applied.
    """
    executor = MigrationExecutor(connection)
    unrecorded = executor.loader.replacements.keys() - executor.recorder.applied_migrations()
    return bool(unrecorded or executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _first_organiser() -> str | None:
    """Create the user `admin` if there is no superuser; returns its password, else None."""
    if User.objects.filter(is_superuser=True).exists():
        return None
    password = secrets.token_urlsafe(12)
    User.objects.create_superuser("admin", password=password)
    return password
