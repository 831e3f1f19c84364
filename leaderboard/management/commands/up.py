from __future__ import annotations

import secrets
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser

from leaderboard.management.demo import load_demo
from leaderboard.management.embedded import serve
from leaderboard.models import Challenge, User


class Command(BaseCommand):
    help = "Serve everything from one process: web pages, API, worker, sweeper."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="0 takes a free one.")
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--no-demo", action="store_true", help="Start empty.")

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0, interactive=False)
        first = None
        if not options["no_demo"] and not Challenge.objects.exists():
            load_demo()
            first = _first_organiser()
        serve(
            options["host"],
            options["port"],
            when_ready=lambda url: self._ready(url, first),
        )

    def _ready(self, url: str, first: tuple[str, str] | None) -> None:
        self.stdout.write(f"ready {url}")
        if first:
            name, password = first
            self.stdout.write(f"Sign in at {url}/admin/ as {name} with the password {password}")
            self.stdout.write("It is shown only now: manage.py changepassword sets another one.")
        self.stdout.flush()


def _first_organiser() -> tuple[str, str] | None:
    """A superuser for a server that has none, with a password nobody else knows."""
    if User.objects.filter(is_superuser=True).exists():
        return None
    password = secrets.token_urlsafe(12)
    User.objects.create_superuser("admin", password=password)
    return "admin", password
