"""One-time links, created by organisers, by commands, or for users who lost their password.

A link is `/link/#CODE`. Browsers do not send the part after the # with a request, so it is in no
log and no Referer. Opening the page does not use the link, because mail scanners open links as
well; sending its form does.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from hashlib import sha256
from typing import Final

from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, Entry, Membership, OneTimeLink, Tenant, User
from leaderboard.services.errors import ServiceError, invalid

Purpose = OneTimeLink.Purpose

ALPHABET: Final = "23456789abcdefghjkmnpqrstuvwxyz"
"""Without characters that look alike: codes are also typed from paper."""
GROUPS, GROUP_LENGTH = 5, 5
LIFETIMES: Final = {
    Purpose.INVITATION: timedelta(days=14),
    Purpose.SIGN_IN: timedelta(days=1),
    Purpose.PASSWORD: timedelta(days=14),
    Purpose.TEAM: timedelta(days=14),
}
LONGEST: Final = timedelta(days=90)


def make_link(
    purpose: OneTimeLink.Purpose,
    *,
    by: User | None,
    user: User | None = None,
    tenant: Tenant | None = None,
    challenge: Challenge | None = None,
    role: str = Membership.Role.MEMBER,
    label: str = "",
    lifetime: timedelta | None = None,
) -> tuple[OneTimeLink, str]:
    """A new link, and its code, which cannot be read again.

    by: who makes it; None for a command. challenge: where an invitation leads, one of
    the tenant. Raises ServiceError when they may not.
    """
    lifetime = lifetime or LIFETIMES[purpose]
    if not timedelta(0) < lifetime <= LONGEST:
        raise invalid(
            "days", _("must be from 1 to {most}").format(most=LONGEST.days), lifetime.days
        )
    link = OneTimeLink(
        purpose=purpose,
        user=user,
        tenant=tenant,
        challenge=challenge,
        role=role,
        label=label,
        made_by=by,
        expires_at=timezone.now() + lifetime,
    )
    if not is_allowed(link):
        raise ServiceError("permission_denied", _("You may not make this link."))
    code = new_code()
    link.digest = digest_of(code)
    link.save()
    return link, code


def new_code() -> str:
    """124 random bits in groups, such as `k7m2x-…`."""
    letters = [secrets.choice(ALPHABET) for _ in range(GROUPS * GROUP_LENGTH)]
    text = "".join(letters)
    return "-".join(text[at : at + GROUP_LENGTH] for at in range(0, len(text), GROUP_LENGTH))


def digest_of(code: str) -> str:
    """What is stored of a code, however it was typed."""
    plain = "".join(letter for letter in code.lower() if letter in ALPHABET)
    return sha256(plain.encode()).hexdigest()


def open_link(code: str) -> OneTimeLink | None:
    """The link of a code, if it can be used now. Otherwise None, without a reason."""
    links = OneTimeLink.objects.open().select_related(
        "user", "made_by", "tenant", "challenge", "participant"
    )
    link = links.filter(digest=digest_of(code)).first()
    return link if link is not None and _works(link) else None


def open_invitation(pk: int) -> OneTimeLink | None:
    """An invitation that was opened before, if it can still be used."""
    links = OneTimeLink.objects.open().filter(purpose=Purpose.INVITATION)
    link = links.select_related("made_by", "tenant", "challenge").filter(pk=pk).first()
    return link if link is not None and _works(link) else None


def use_link(link: OneTimeLink) -> None:
    """Use the link up. Raises ServiceError when another request has just done so.

    Call it in the transaction of the action that the link allows.
    """
    if not OneTimeLink.objects.open().filter(pk=link.pk).update(used_at=Now()):
        raise ServiceError("conflict", _("This link is not valid any more."))


def accept_invitation(link: OneTimeLink, user: User) -> None:
    """Use an invitation up and give the user its membership. Raises ServiceError."""
    use_link(link)
    if link.tenant is None:
        return
    place, _is_new = Membership.objects.get_or_create(tenant=link.tenant, user=user)
    if link.role == Membership.Role.ORGANISER and place.role != link.role:
        place.role = link.role
        place.save(update_fields=["role"])


def end_links_of(user: User) -> None:
    """End all links to sign in as this user or to choose their password."""
    OneTimeLink.objects.open().filter(user=user).update(used_at=Now())


def may_help(organiser: User, user: User) -> bool:
    """Whether one user may create sign-in and password links for another.

    Operators may do so for all users. Organisers may for accounts that their tenant created, unless
    these are staff, operators or organisers, or may open private challenges of another tenant, as a
    member of it or by a role.
    """
    if organiser == user or organiser.is_superuser:
        return organiser.is_active
    if user.is_staff or user.is_superuser or user.managed_by_id is None:
        return False
    organises = user.memberships.filter(role=Membership.Role.ORGANISER).exists()
    roles = user.challenge_roles.exclude(challenge__tenant=user.managed_by_id)
    elsewhere = user.memberships.exclude(tenant=user.managed_by_id)
    if organises or roles.exists() or elsewhere.exists():
        return False
    return organiser.organises(user.managed_by_id)


def is_allowed(link: OneTimeLink) -> bool:
    """Whether the creator of a link has the right to; checked on creation and on use."""
    maker = link.made_by
    if link.challenge and link.tenant_id not in (None, link.challenge.tenant_id):
        return False
    if maker is None:
        return True
    if link.purpose == Purpose.TEAM:
        return maker.is_active and _leads_team(maker, link)
    if link.user is not None:
        return may_help(maker, link.user)
    if link.tenant_id is None:
        return maker.is_active and maker.is_superuser
    return maker.organises(link.tenant_id)


def _leads_team(maker: User, link: OneTimeLink) -> bool:
    return (
        Entry.objects.current()
        .filter(
            user=maker,
            challenge=link.challenge_id,
            participant=link.participant_id,
            role=Entry.Role.CAPTAIN,
        )
        .exists()
    )


def _works(link: OneTimeLink) -> bool:
    return is_allowed(link) and (link.user is None or link.user.is_active)
