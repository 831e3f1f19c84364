"""The queries of challenges: who finds which, and what a change of one locks."""

from __future__ import annotations

from typing import Final, Self, TypeVar
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db import connection, models
from django.db.models import Case, F, Q, When

from leaderboard.models.challenge_role import ChallengeRole
from leaderboard.models.tenant import Membership, Tenant
from leaderboard.models.user import User
from leaderboard.schemas.choices import Visibility

C = TypeVar("C", bound=models.Model)
"""`Challenge`, whose module imports this one."""

OPEN: Final = ~Q(visibility=Visibility.PRIVATE) & Q(is_draft=False)
"""The challenges that everyone may open: neither private nor a draft."""


class ChallengeQueries(models.QuerySet[C]):
    """Which challenges a reader finds, and the locks of transactions that change one."""

    def visible_to(self, user: User | AnonymousUser | None) -> Self:
        """The challenges that `user` may open when they know the address."""
        if user is None or not isinstance(user, User) or not user.is_active:
            return self.filter(OPEN)
        if user.is_superuser:
            return self
        mine = Membership.objects.filter(user=user)
        organised = mine.filter(role=Membership.Role.ORGANISER)
        return self.filter(
            OPEN
            | Q(is_draft=False, tenant__in=mine.values("tenant"))
            | Q(tenant__in=organised.values("tenant"))
            | Q(pk__in=ChallengeRole.objects.filter(user=user).values("challenge"))
        )

    def called(self, slug: str, user: User | AnonymousUser | None) -> C | None:
        """The challenge that an address with this slug opens for `user`; None if there is none.

        Private challenges and drafts of several tenants, and a public one, may have the same slug.
        A member gets the challenge of their own tenant, so that no other tenant can take over their
        links; nor can one by giving them a role.
        """
        return self.all_called(slug, user).first()

    def all_called(self, slug: str, user: User | AnonymousUser | None) -> Self:
        """The challenges with this slug that `user` may open, in the order of `called`."""
        challenges = self.visible_to(user).filter(slug=slug)
        if not isinstance(user, User):
            return challenges.order_by("pk")
        mine = Q(tenant__in=Membership.objects.filter(user=user).values("tenant"))
        place = Case(When(~OPEN & mine, then=0), When(OPEN, then=1), default=2)
        return challenges.order_by(place, "pk")

    def listed_for(self, user: User | AnonymousUser | None) -> Self:
        """The challenges that lists show: unlisted ones only to members of their tenant, and to
        users with a role in them.
        """
        visible = self.visible_to(user)
        if isinstance(user, User) and user.is_superuser:
            return visible
        listed = ~Q(visibility=Visibility.UNLISTED)
        if isinstance(user, User) and user.is_active:
            listed |= Q(tenant__in=Membership.objects.filter(user=user).values("tenant"))
            listed |= Q(pk__in=ChallengeRole.objects.filter(user=user).values("challenge"))
        return visible.filter(listed)

    def organised_by(self, user: User) -> Self:
        return self.filter(tenant__in=Tenant.objects.organised_by(user))

    def bump(self, challenge_id: UUID) -> None:
        """Raise the version of its boards: they look different, though no standing has changed."""
        self.filter(id=challenge_id).update(board_version=F("board_version") + 1)

    def lock_challenge_shared(self, challenge_id: UUID) -> None:
        """Let `lock_challenge` of the challenge wait until the end of this transaction.

        Several transactions may do so at once. SQLite has one writer at a time and needs no lock.
        """
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT 1 FROM leaderboard_challenge WHERE id = %s FOR KEY SHARE",
                    [challenge_id],
                )

    def lock_boards(self, challenge_id: UUID) -> None:
        """Lock the shown boards, so that no other transaction writes to them until the end."""
        self.select_for_update(no_key=True).values_list("pk").get(pk=challenge_id)

    def lock_challenge(self, challenge_id: UUID) -> C:
        """Lock the challenge, so that no transaction counts its attempts until this one ends."""
        return self.select_for_update().get(pk=challenge_id)
