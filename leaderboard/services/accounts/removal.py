"""Organisers remove accounts that they have made by mistake, as long as nobody has used them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from leaderboard.models import ApiToken, Attempt, Entry, Participant, Tenant, User
from leaderboard.services.errors import ServiceError

MOST_SHOWN: Final = 500


def unused_accounts(tenants: QuerySet[Tenant]) -> list[tuple[Tenant, list[User]]]:
    """The accounts that organisers of tenants have made and nobody has used, by tenant.

    The newest first; tenants without any are left out. One statement.
    """
    users = _unused(tenants).select_related("managed_by").order_by("-date_joined", "-pk")
    accounts: dict[Tenant, list[User]] = {}
    for user in users[:MOST_SHOWN]:
        if user.managed_by is not None:
            accounts.setdefault(user.managed_by, []).append(user)
    return list(accounts.items())


def remove_accounts(tenant: Tenant, ids: Collection[int], *, by: User) -> int:
    """Delete unused accounts of the tenant, with their registrations; returns their number.

    Accounts that somebody has used meanwhile stay. Raises ServiceError: `permission_denied`.
    """
    if not by.organises(tenant.pk):
        raise ServiceError("permission_denied", _("You do not organise this tenant."))
    with transaction.atomic():
        users = list(
            _unused(Tenant.objects.filter(pk=tenant.pk))
            .filter(pk__in=ids)
            .select_for_update(of=("self",))
        )
        _forget_participants(users)
        User.objects.filter(pk__in=[user.pk for user in users]).delete()
    return len(users)


def _unused(tenants: QuerySet[Tenant]) -> QuerySet[User]:
    mine = User.objects.filter(
        managed_by__in=tenants, last_login=None, is_staff=False, is_superuser=False
    )
    attempts = Attempt.objects.filter(submitted_by=OuterRef("pk"))
    theirs = Attempt.objects.filter(participant__owner=OuterRef("pk"))
    tokens = ApiToken.objects.filter(user=OuterRef("pk"))
    return mine.exclude(memberships__role="organiser").filter(
        ~Exists(attempts), ~Exists(theirs), ~Exists(tokens), challenge_roles=None
    )


def _forget_participants(users: Sequence[User]) -> None:
    """Delete participants without attempts whose members, in all challenges, are these users."""
    foreign_entries = Entry.objects.filter(participant=OuterRef("pk")).exclude(user__in=users)
    attempts = Attempt.objects.filter(participant=OuterRef("pk"))
    owned = Participant.objects.filter(owner__in=users)
    owned.filter(~Exists(foreign_entries), ~Exists(attempts)).delete()
