"""Arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser, OutputWrapper
from django.db.models import Model

from leaderboard.importers import ImportFailed, Source
from leaderboard.models import Challenge, Tenant, User
from leaderboard.models.challenge import ChallengeQuerySet


def add_challenge(parser: CommandParser) -> None:
    parser.add_argument(
        "challenge", nargs="?", help="The challenge's slug, or tenant/slug; by default, all."
    )


def challenge_named(slug: str) -> Challenge:
    """The challenge with this slug, or `tenant/slug` if several tenants' challenges have it.

    Raises CommandError.
    """
    tenant, _, name = slug.rpartition("/")
    matches = Challenge.objects.filter(slug=name, **({"tenant__slug": tenant} if tenant else {}))
    challenges = list(matches.select_related("tenant").order_by("tenant__slug")[:10])
    if not challenges:
        raise CommandError(f"there is no challenge {slug!r}")
    if len(challenges) > 1:
        names = ", ".join(f"{challenge.tenant.slug}/{challenge.slug}" for challenge in challenges)
        raise CommandError(f"there are several challenges {slug!r}: name one of {names}")
    return challenges[0]


def challenges_named(slug: str | None) -> ChallengeQuerySet | list[Challenge]:
    return [challenge_named(slug)] if slug else Challenge.objects.all()


def tenant_named(slug: str | None, notes: OutputWrapper) -> Tenant:
    """The tenant with this slug, created if it is missing; without a slug, the only tenant.

    Raises CommandError.
    """
    if slug is None and Tenant.objects.count() > 1:
        slugs = ", ".join(Tenant.objects.values_list("slug", flat=True))
        raise CommandError(f"there are several tenants; add --tenant with one of {slugs}")
    existing = Tenant.objects.filter(**({} if slug is None else {"slug": slug})).first()
    if existing is not None:
        return existing
    name = "default" if slug is None else slug
    tenant = Tenant(slug=name, name=name.capitalize())
    _save_new(tenant, "slug", "--tenant")
    notes.write(f"created the tenant {tenant.slug}")
    return tenant


def user_named(username: str, argument: str) -> tuple[User, bool]:
    """The user with this name, and whether it was missing and has been created.

    A new user cannot sign in. Raises CommandError, with the name of the argument.
    """
    existing = User.objects.filter(username=username).first()
    if existing is not None:
        return existing, False
    user = User(username=username)
    user.set_unusable_password()
    _save_new(user, "username", argument)
    return user, True


def _save_new(row: Model, field: str, argument: str) -> None:
    """Save a row of which an argument is the only given value. Raises CommandError."""
    try:
        row.full_clean()
    except ValidationError as error:
        raise CommandError(f"{argument}: {' '.join(error.message_dict[field])}") from None
    row.save()


def opened(file: str, of_document: Callable[[Path], Source] | None = None) -> Source:
    """A file or folder by its path, as a tree of files. Raises CommandError.

    of_document: opens a JSON file, with files beside it that belong to it.
    """
    path = Path(file)
    if not path.exists():
        raise CommandError(f"there is no file {file}")
    try:
        if of_document is not None and path.is_file() and path.suffix == ".json":
            return of_document(path)
        return Source.open(path, path.name)
    except ImportFailed as error:
        raise CommandError(error.text) from None
