"""`manage.py invite [--tenant T] [--challenge S] [--role organiser] [--days 14] [--for …]`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.urls import reverse

from leaderboard.management.arguments import challenge_named, tenant_named
from leaderboard.management.base import ProductCommand
from leaderboard.models import Membership, OneTimeLink
from leaderboard.services.accounts.one_time_links import LONGEST, make_link
from leaderboard.services.errors import ServiceError


class Command(ProductCommand):
    help = "Make an invitation and print only its link on the standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", help="The tenant's slug; needed if there are several.")
        parser.add_argument(
            "--role", choices=Membership.Role.values, default=Membership.Role.MEMBER
        )
        parser.add_argument("--challenge", help="Where the link leads: the challenge's slug.")
        parser.add_argument("--days", type=int, default=14, help="How long it is valid.")
        parser.add_argument("--for", dest="label", default="", help="A note of whom it is for.")

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.SIGN_UP == "off":
            raise CommandError("SIGN_UP must be invited or open for invitations; got off")
        if not 1 <= options["days"] <= LONGEST.days:
            raise CommandError(f"--days must be from 1 to {LONGEST.days}; got {options['days']}")
        challenge = challenge_named(options["challenge"]) if options["challenge"] else None
        slug = challenge.tenant.slug if challenge else options["tenant"]
        if options["tenant"] not in (None, slug):
            raise CommandError(f"--challenge must be of the tenant; got one of {slug}")
        try:
            _link, code = make_link(
                OneTimeLink.Purpose.INVITATION,
                by=None,
                tenant=tenant_named(slug, self.stderr),
                challenge=challenge,
                role=options["role"],
                label=options["label"][:254],
                lifetime=timedelta(days=options["days"]),
            )
        except ServiceError as error:
            raise CommandError(str(error)) from None
        base = settings.PUBLIC_URL or "http://127.0.0.1:8000"
        self.stdout.write(f"{urljoin(base, reverse('link'))}#{code}")
