"""`manage.py revoke_token PREFIX`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from leaderboard.management.base import ProductCommand
from leaderboard.services.errors import ServiceError
from leaderboard.services.tokens import revoke_token, token_with_prefix


class Command(ProductCommand):
    help = "Revoke the API token that begins with PREFIX, for ever."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("prefix", help="At least 8 characters, or the whole token.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            token = token_with_prefix(options["prefix"])
        except ServiceError as error:
            raise CommandError(str(error)) from None
        name = str(token)
        revoke_token(token)
        self.stdout.write(f"revoked {name}")
