from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection, transaction

from leaderboard.management import welcome
from leaderboard.management.demo import load_demo
from leaderboard.management.embedded import bind, serve
from leaderboard.models import Challenge, User
from leaderboard.services.plugins.catalogue import keep_in, look_again


class Command(BaseCommand):
    help = "Serve everything from one process: web pages, API, worker, sweeper."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="0 takes a free one.")
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--no-demo", action="store_true", help="Start empty.")

    def handle(self, *args: Any, **options: Any) -> None:
        server = bind(options["host"], options["port"])
        keep_in(Path(settings.DATA_DIR, "plugins.list"))
        look_again()  # so that the page of plugins is there by the time that somebody asks for it
        call_command("migrate", verbosity=0, interactive=False)
        if not options["no_demo"] and not Challenge.objects.exists():
            with transaction.atomic():  # all of it, or the next start begins again
                load_demo()
        serve(server, when_ready=self._ready)

    def _ready(self, url: str) -> None:
        self.stdout.write(f"ready {url}")
        password = _first_organiser()
        if self.stdout.isatty():
            self.stdout.write(welcome.on_a_terminal(url, settings.DATA_DIR, password))
        elif password:
            kept = welcome.keep_password(settings.DATA_DIR, password)
            self.stdout.write(welcome.in_a_log(url, kept))
        self.stdout.flush()
        connection.close()


def _first_organiser() -> str | None:
    """The new password of `admin`, on a server that has nobody who may do everything."""
    if User.objects.filter(is_superuser=True).exists():
        return None
    password = secrets.token_urlsafe(12)
    User.objects.create_superuser("admin", password=password)
    return password
