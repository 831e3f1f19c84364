"""`manage.py erase_account USERNAME`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from leaderboard.management.base import ProductCommand
from leaderboard.models import User
from leaderboard.services.accounts.erase import erase_account


class Command(ProductCommand):
    help = "Delete an account and what its user wrote. The numbers of their attempts stay."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"there is no user {options['username']!r}")
        erase_account(user)
