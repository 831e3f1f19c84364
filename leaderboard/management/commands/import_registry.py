"""`manage.py import_registry FILE [--tenant T]`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from leaderboard.importers.formats.harbor.harbor_registry import opened_registry
from leaderboard.management.arguments import opened, tenant_named
from leaderboard.management.base import ProductCommand
from leaderboard.services.challenges.registries import checked_registry, import_checked
from leaderboard.services.errors import ServiceError


class Command(ProductCommand):
    help = "Create or update the challenges of a Harbor registry: all of them or none."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            help="A registry.json with its scripts beside it, or a folder or an archive with them.",
        )
        parser.add_argument("--tenant", help="The tenant's slug; needed if there are several.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with opened(options["file"], opened_registry) as source:
                registry = checked_registry(source, tell=self.stdout.write)
            with transaction.atomic():
                tenant = tenant_named(options["tenant"], self.stderr)
                result = import_checked(registry, tenant=tenant, user=None)
        except ServiceError as refused:
            raise CommandError(refused.message) from None
        for challenge in result.created:
            self.stdout.write(f"created {challenge.slug}")
        for challenge in result.updated:
            self.stdout.write(f"updated {challenge.slug}")
        for warning in result.warnings:
            self.stderr.write(warning)
