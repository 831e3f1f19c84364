"""`manage.py create_token USERNAME --scope submit [--scope organise] [--tenant T] [--create] …`."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.core.management.base import CommandError, CommandParser, OutputWrapper
from django.db import transaction
from django.utils import timezone

from leaderboard.management.arguments import challenge_named, tenant_named, user_named
from leaderboard.management.base import ProductCommand
from leaderboard.models import Challenge, Membership, Participant, Tenant, User
from leaderboard.models.api_token import SCOPES
from leaderboard.services.errors import ServiceError
from leaderboard.services.tokens import create_token


class Command(ProductCommand):
    help = (
        "Make an API token and print it, alone, on the standard output. The user becomes a member"
        " of the tenant, with the scope organise an organiser."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--scope", action="append", required=True, choices=SCOPES)
        parser.add_argument("--tenant", help="The tenant's slug; needed if there are several.")
        parser.add_argument(
            "--challenge",
            help="Bind the token to the challenge with this slug, or tenant/slug.",
        )
        parser.add_argument(
            "--participant",
            help="Let the token submit only as the user's participant with this slug.",
        )
        parser.add_argument(
            "--create", action="store_true", help="Create the user and the tenant if missing."
        )
        parser.add_argument("--name", default="", help="What the token is for.")
        parser.add_argument("--days", type=int, help="How long it is valid; by default, for ever.")

    def handle(self, *args: Any, **options: Any) -> None:
        scopes = options["scope"]
        try:
            with transaction.atomic():
                user, is_new = _user(options["username"], create=options["create"])
                if is_new:
                    self.stderr.write(f"created the user {user.username}")
                bound = options["challenge"]
                challenge = challenge_named(bound) if bound is not None else None
                tenant = challenge.tenant if challenge and "organise" in scopes else None
                if options["tenant"] is not None or ("organise" in scopes and tenant is None):
                    tenant = _tenant(options["tenant"], self.stderr, create=options["create"])
                if tenant is not None:
                    _join(user, tenant, organises="organise" in scopes)
                _, text = create_token(
                    user=user,
                    name=options["name"],
                    scopes=scopes,
                    tenant=tenant,
                    challenge=challenge,
                    participant=_participant(options["participant"], user, challenge),
                    expires_at=_after(options["days"]),
                )
        except ServiceError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(text)


def _user(username: str, *, create: bool) -> tuple[User, bool]:
    """The user, and whether they are new. Raises CommandError: a misspelt name is nobody's."""
    if not create and not User.objects.filter(username=username).exists():
        raise CommandError(f"there is no user {username!r}; --create makes one")
    return user_named(username, "username")


def _tenant(slug: str | None, notes: OutputWrapper, *, create: bool) -> Tenant:
    """The tenant, by default the only one; the first one is made. Raises CommandError."""
    slugs = list(Tenant.objects.order_by("slug").values_list("slug", flat=True))
    if slug and slugs and slug not in slugs and not create:
        names = ", ".join(slugs)
        raise CommandError(f"there is no tenant {slug!r}; name one of {names}, or add --create")
    return tenant_named(slug, notes)


def _participant(slug: str | None, user: User, challenge: Challenge | None) -> Participant | None:
    """The user's participant with this slug. Raises CommandError."""
    if slug is None:
        return None
    mine = Participant.objects.of(user).filter(slug=slug)
    participants = list(mine.filter(tenant=challenge.tenant_id) if challenge else mine)
    if len(participants) != 1:
        wrong = (
            "has no participant"
            if not participants
            else "has several participants, add --challenge:"
        )
        raise CommandError(f"{user.username} {wrong} {slug!r}")
    return participants[0]


def _join(user: User, tenant: Tenant, *, organises: bool) -> None:
    """Make the user a member of the tenant, or an organiser; never lowers a role."""
    membership, _ = Membership.objects.get_or_create(tenant=tenant, user=user)
    if organises and membership.role != Membership.Role.ORGANISER:
        membership.role = Membership.Role.ORGANISER
        membership.save(update_fields=["role"])


def _after(days: int | None) -> datetime | None:
    if days is None:
        return None
    if not 1 <= days <= 36_500:
        raise CommandError("--days must be from 1 to 36500")
    return timezone.now() + timedelta(days=days)
