"""Organisers of a challenge make others co-organisers or reviewers of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, ChallengeRole, Membership, User
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.roles import GIVEN_ROLE
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.mail.notices import tell_of_role
from leaderboard.services.errors import ServiceError, validated

LONGEST_TEXT = 254
"""Characters of an e-mail address."""
MOST_ALIKE: Final = 5


class Organiser(NamedTuple):
    """Somebody with a role in a challenge.

    of_tenant: they have it in every challenge of the tenant; then nobody added them here.
    """

    user: User
    role: str
    of_tenant: bool
    added_by: User | None = None
    added_at: datetime | None = None


class UnsureUser(NamedTuple):
    """A user whose name proves little: they chose it, or it looks like other ones (`alike`)."""

    user: User
    alike: Sequence[str]


def unsure_user(challenge: Challenge, text: str) -> UnsureUser | None:
    """The user whom a text names, if it might be somebody else than who is meant.

    None for a confirmed address, and for a name that an operator or an organiser of the tenant gave
    and that no other looks like. Raises ServiceError as `give_role` does.
    """
    user = _user_called(challenge, text)
    if "@" in text:
        return None
    namesakes = User.objects.filter(skeleton=user.skeleton, is_active=True).exclude(pk=user.pk)
    alike = list(namesakes.order_by("username").values_list("username", flat=True)[:MOST_ALIKE])
    is_given = not user.is_self_named and user.managed_by_id in (None, challenge.tenant_id)
    return None if is_given and not alike else UnsureUser(user, alike)


def organisers_of(challenge: Challenge) -> list[Organiser]:
    """The organisers of the tenant, then co-organisers, then reviewers; each part by username."""
    return [*_of_tenant(challenge), *_of_challenge(challenge)]


def challenges_of(user: User) -> QuerySet[ChallengeRole]:
    """The user's roles in single challenges, with `challenge` and `added_by`."""
    mine = ChallengeRole.objects.filter(user=user).select_related("challenge", "added_by")
    return mine.order_by("challenge__name", "pk")


def give_role(challenge: Challenge, text: str, fields: object, *, by: User | None) -> Organiser:
    """Give a user a role in the challenge; it replaces an earlier one.

    text: a username, or a confirmed e-mail address. fields: as in `GivenRole`. Raises ServiceError:
    `invalid`, `not_found`, and `conflict` for organisers of the tenant.
    """
    role = validated(GIVEN_ROLE, fields).role
    user = _user_called(challenge, text)
    with transaction.atomic():
        Challenge.objects.lock_boards(challenge.pk)
        _check_is_not_of_tenant(challenge, user)
        before = ChallengeRole.objects.filter(challenge=challenge, user=user).first()
        row, _is_new = ChallengeRole.objects.update_or_create(
            challenge=challenge,
            user=user,
            defaults={"role": role},
            create_defaults={"role": role, "added_by": by},
        )
        record(
            challenge.pk,
            AuditKind.ROLE,
            by=by,
            before={"role": before.role} if before else None,
            after={"role": role},
            named=user.username,
        )
        if before is None or before.role != role:
            tell_of_role(challenge, user, role, by=by)
    row.refresh_from_db(fields=["added_at"])
    return Organiser(user, row.role, False, row.added_by, row.added_at)


def take_role(challenge: Challenge, username: str, *, by: User | None) -> None:
    """Remove a user's role in the challenge. Raises ServiceError: `not_found`."""
    with transaction.atomic():
        mine = ChallengeRole.objects.select_for_update().filter(challenge=challenge)
        row = mine.filter(user__username=username).first() if "\0" not in username else None
        if row is None:
            text = _("{name} has no role of their own in this challenge.")
            raise ServiceError("not_found", text.format(name=sent(username)))
        row.delete()
        record(
            challenge.pk,
            AuditKind.ROLE,
            by=by,
            before={"role": row.role},
            after=None,
            named=username,
        )


def leave_role(user: User, challenge_id: UUID) -> Challenge:
    """End the user's own role in a challenge. Raises ServiceError: `not_found`."""
    row = challenges_of(user).filter(challenge=challenge_id).first()
    if row is None:
        raise ServiceError("not_found", _("You have no role of your own in this challenge."))
    take_role(row.challenge, user.username, by=user)
    return row.challenge


def _of_tenant(challenge: Challenge) -> Iterator[Organiser]:
    memberships = Membership.objects.filter(
        tenant=challenge.tenant_id, role=Membership.Role.ORGANISER, user__is_active=True
    )
    for place in memberships.select_related("user").order_by("user__username"):
        yield Organiser(place.user, ChallengeRole.Role.ORGANISER.value, of_tenant=True)


def _of_challenge(challenge: Challenge) -> Iterator[Organiser]:
    roles = ChallengeRole.objects.filter(challenge=challenge).select_related("user", "added_by")
    for row in roles.order_by("role", "user__username"):
        yield Organiser(row.user, row.role, False, row.added_by, row.added_at)


def _user_called(challenge: Challenge, text: str) -> User:
    """Somebody with a role in the challenge, or the active user whom a text names.

    Whoever owns an address has confirmed it, so that nobody gets a role by claiming an address, or
    by choosing somebody's address as their username.
    """
    text = text.strip()
    if len(text) > LONGEST_TEXT or "\0" in text:
        raise _unknown(text)
    named = User.objects.filter(username=text, is_active=True)
    if "@" in text:
        owners = EmailAddress.objects.filter(email__iexact=text, verified=True)
        with_role = named.filter(challenge_roles__challenge=challenge)
        named = with_role or User.objects.filter(pk__in=owners.values("user"), is_active=True)
    user = named.first()
    if user is None:
        raise _unknown(text)
    return user


def _unknown(text: str) -> ServiceError:
    error_text = _("must be a username, or a confirmed e-mail address, of an account; got {sent}")
    error_text = error_text.format(sent=sent(text))
    return ServiceError("not_found", f"user: {error_text}", {"user": [error_text]})


def _check_is_not_of_tenant(challenge: Challenge, user: User) -> None:
    if user.memberships.filter(tenant=challenge.tenant_id, role=Membership.Role.ORGANISER).exists():
        text = _("{user} organises every challenge of {tenant}.")
        raise ServiceError(
            "conflict", text.format(user=user.username, tenant=challenge.tenant.name)
        )
