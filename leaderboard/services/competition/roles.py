"""Who organises a challenge, and who reviews it: the only place that decides.

The organisers of the tenant organise all of its challenges, co-organisers one of them. Reviewers of
a challenge see what its organisers see, and change nothing. A role changes nothing about where an
address leads: if two challenges have the same slug, an organiser could otherwise replace what
somebody else sees at an address that they know.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, ChallengeRole, Membership, User
from leaderboard.models.built_once import Values
from leaderboard.models.challenge import ChallengeQuerySet
from leaderboard.services.errors import ServiceError


class UserRole(IntEnum):
    """The role of a user in a challenge. A higher role includes the rights of the lower ones."""

    NONE = 0
    REVIEWER = 1
    ORGANISER = 2


ROLES: Final = {
    ChallengeRole.Role.REVIEWER.value: UserRole.REVIEWER,
    ChallengeRole.Role.ORGANISER.value: UserRole.ORGANISER,
}


def role_of(user: User | None, challenge: Challenge) -> UserRole:
    """The user's role in the challenge; one statement."""
    if user is None or not user.is_active:
        return UserRole.NONE
    if user.is_superuser:
        return UserRole.ORGANISER
    roles = _ROLES.all(user=user.pk, tenant=challenge.tenant_id, challenge=challenge.pk)
    return max((ROLES[role] for (role,) in roles), default=UserRole.NONE)


def _roles(user: int, tenant: int, challenge: UUID) -> QuerySet[Any, Any]:
    of_tenant = Membership.objects.filter(
        user=user, tenant=tenant, role=Membership.Role.ORGANISER
    ).values_list("role")
    of_challenge = ChallengeRole.objects.filter(user=user, challenge=challenge)
    return of_tenant.union(of_challenge.values_list("role"))


_ROLES: Final = Values(_roles, user=int, tenant=int, challenge=UUID)


def sees_all(user: User, *, challenge: str, tenant: str) -> Q:
    """A condition of rows of a query: whether the user sees what organisers of a challenge see.

    challenge, tenant: the columns with the ids of the challenge and of its tenant. It is for users
    who are active and no superusers.
    """
    of_tenant = Membership.objects.filter(
        user=user, tenant=OuterRef(tenant), role=Membership.Role.ORGANISER
    )
    of_challenge = ChallengeRole.objects.filter(user=user, challenge=OuterRef(challenge))
    return Q(Exists(of_tenant)) | Q(Exists(of_challenge))


def organises(user: User | None, challenge: Challenge) -> bool:
    """Whether the user may configure the challenge."""
    return role_of(user, challenge) is UserRole.ORGANISER


def organised_beside(challenge: Challenge, user: User | None) -> ChallengeQuerySet:
    """The other challenges of its tenant that the user may configure."""
    other_challenges = Challenge.objects.filter(tenant=challenge.tenant_id).exclude(pk=challenge.pk)
    if user is None or not user.is_active:
        return other_challenges.none()
    if user.organises(challenge.tenant_id):
        return other_challenges
    mine = ChallengeRole.objects.filter(user=user, role=ChallengeRole.Role.ORGANISER)
    return other_challenges.filter(pk__in=mine.values("challenge"))


def check_takes_part(user: User, challenge: Challenge) -> None:
    """Raise ServiceError (`permission_denied`) for a draft that the user only reviews."""
    if challenge.is_draft and role_of(user, challenge) is UserRole.REVIEWER:
        text = _("Only organisers take part in a draft.")
        raise ServiceError("permission_denied", text)


def reviews(user: User | None, challenge: Challenge) -> bool:
    """Whether the user sees what organisers of the challenge see."""
    return role_of(user, challenge) >= UserRole.REVIEWER
