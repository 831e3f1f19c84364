from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from leaderboard.models.built_once import Lookup
from leaderboard.models.tenant import Tenant

if TYPE_CHECKING:
    from leaderboard.models.challenge import Challenge
    from leaderboard.models.user import User


class ParticipantQuerySet(models.QuerySet["Participant"]):
    def of(self, user: User) -> ParticipantQuerySet:
        """The participants that a user owns or is a member of now, in any challenge.

        Not those where the user waits for an organiser's decision.

        A union, because with OR PostgreSQL would read all participants of the site.
        """
        owned = self.model.objects.filter(owner=user)
        joined = self.model.objects.filter(
            entries__user=user, entries__left_at=None, entries__is_waiting=False
        )
        return self.filter(pk__in=owned.values("pk").union(joined.values("pk")))

    def named_at(self, challenge: Challenge) -> ParticipantQuerySet:
        """The participants whose names are taken for submissions to the challenge.

        At a challenge that is not private, names that only private participants have are free.
        """
        mine = self.filter(tenant=challenge.tenant_id)
        is_private = challenge.is_hidden
        return mine if is_private else mine.filter(is_private=False)

    def called(self, challenge: Challenge, slug: str) -> Participant | None:
        """The participant that a slug in an address of the challenge names; None if none does.

        Of all participants, whatever this query set is filtered by.
        """
        participants = list(_CALLED.instances(tenant=challenge.tenant_id, slug=slug))
        if len(participants) < 2:
            return participants[0] if participants else None
        return next(
            (
                participant
                for participant in participants
                if participant.attempts.filter(challenge=challenge)
            ),
            None,
        )


class Participant(models.Model):
    """A system, a person or a team that attempts challenges.

    A name is unique in its tenant, ignoring case, among the participants that have attempted a
    challenge that is not private, and also among those that have only attempted private ones.
    """

    class Kind(models.TextChoices):
        SYSTEM = "system", gettext_lazy("System")
        PERSON = "person", gettext_lazy("Person")
        TEAM = "team", gettext_lazy("Team")

    tenant = models.ForeignKey(
        Tenant, models.CASCADE, related_name="participants", verbose_name=gettext_lazy("tenant")
    )
    handle = models.CharField(
        max_length=120,
        help_text=gettext_lazy("The name as first submitted."),
        verbose_name=gettext_lazy("handle"),
    )
    handle_key = models.CharField(
        max_length=400, editable=False, verbose_name=gettext_lazy("handle key")
    )
    slug = models.SlugField(max_length=140, verbose_name=gettext_lazy("slug"))
    name = models.CharField(
        max_length=120,
        blank=True,
        help_text=gettext_lazy("Shown instead of the handle."),
        verbose_name=gettext_lazy("name"),
    )
    skeleton = models.CharField(
        max_length=400,
        blank=True,
        editable=False,
        help_text=gettext_lazy(
            "Equal for names that are drawn alike: `rules.skeletons` of the shown name."
        ),
        verbose_name=gettext_lazy("skeleton"),
    )
    kind = models.CharField(
        max_length=8, choices=Kind.choices, default=Kind.SYSTEM, verbose_name=gettext_lazy("kind")
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="participants",
        help_text=gettext_lazy(
            "The user who first submitted as it; only they and organisers may go on."
        ),
        verbose_name=gettext_lazy("owner"),
    )
    is_private = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text=gettext_lazy(
            "Made at a private challenge: elsewhere its name is free, and tells nothing."
        ),
        verbose_name=gettext_lazy("is private"),
    )
    created_at = models.DateTimeField(auto_now_add=True, verbose_name=gettext_lazy("created at"))

    objects = ParticipantQuerySet.as_manager()

    class Meta:
        verbose_name = gettext_lazy("participant")
        verbose_name_plural = gettext_lazy("participants")
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "handle_key", "is_private"], name="one_participant_per_handle"
            ),
            models.UniqueConstraint(
                fields=["tenant", "slug", "is_private"], name="one_participant_per_slug"
            ),
        ]
        indexes = [models.Index(fields=["tenant", "skeleton"], name="participants_alike")]

    def __str__(self) -> str:
        return self.shown_name

    @property
    def shown_name(self) -> str:
        return self.name or self.handle


_CALLED = Lookup(
    lambda tenant, slug: Participant.objects.filter(tenant=tenant, slug=slug).order_by(
        "-is_private"
    )[:2],
    tenant=int,
    slug=str,
)
