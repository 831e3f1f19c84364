from __future__ import annotations

import secrets
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection, transaction

from leaderboard.management.demo import load_demo
from leaderboard.management.embedded import bind, serve
from leaderboard.models import Challenge, User


class Command(BaseCommand):
    help = "Serve everything from one process: web pages, API, worker, sweeper."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="0 takes a free one.")
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--no-demo", action="store_true", help="Start empty.")

    def handle(self, *args: Any, **options: Any) -> None:
        server = bind(options["host"], options["port"])
        call_command("migrate", verbosity=0, interactive=False)
        if not options["no_demo"] and not Challenge.objects.exists():
            with transaction.atomic():  # all of it, or the next start begins again
                load_demo()
        serve(server, when_ready=self._ready)

    def _ready(self, url: str) -> None:
        self.stdout.write(f"ready {url}")
        if password := _first_organiser():
            self.stdout.write(f"Sign in at {url}/admin/ as admin with the password {password}")
            self.stdout.write("It is shown only now: manage.py changepassword sets another one.")
        self.stdout.flush()
        connection.close()


def _first_organiser() -> str | None:
    """The new password of `admin`, on a server that has nobody who may do everything."""
    if User.objects.filter(is_superuser=True).exists():
        return None
    password = secrets.token_urlsafe(12)
    User.objects.create_superuser("admin", password=password)
    return password
