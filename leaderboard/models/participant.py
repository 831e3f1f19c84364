from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models

from leaderboard.models.tenant import Tenant

if TYPE_CHECKING:
    from leaderboard.models.challenge import Challenge


class ParticipantQuerySet(models.QuerySet["Participant"]):
    def named_at(self, challenge: Challenge) -> ParticipantQuerySet:
        """The participants whose names count for submissions to the challenge.

        At a public challenge, names that only private participants have are free.
        """
        mine = self.filter(tenant=challenge.tenant_id)
        is_private = challenge.visibility == "private"
        return mine if is_private else mine.filter(is_private=False)

    def called(self, challenge: Challenge, slug: str) -> Participant | None:
        """The participant that an address of the challenge means by a slug."""
        found = list(self.filter(tenant=challenge.tenant_id, slug=slug).order_by("-is_private")[:2])
        if len(found) < 2:
            return found[0] if found else None
        return next((each for each in found if each.attempts.filter(challenge=challenge)), None)


class Participant(models.Model):
    """Who attempts: a system, a person or a team.

    A name is unique in its tenant without regard to case: once among those that have attempted a
    challenge that is not private, and once among those that have only attempted private ones.
    """

    class Kind(models.TextChoices):
        SYSTEM = "system"
        PERSON = "person"
        TEAM = "team"

    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="participants")
    handle = models.CharField(max_length=120, help_text="The name as first submitted.")
    handle_key = models.CharField(max_length=400, editable=False)
    slug = models.SlugField(max_length=140)
    name = models.CharField(max_length=120, blank=True, help_text="Shown instead of the handle.")
    skeleton = models.CharField(
        max_length=400,
        blank=True,
        editable=False,
        help_text="Equal for names that are drawn alike: `rules.skeletons` of the shown name.",
    )
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.SYSTEM)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="participants",
        help_text="The user who first submitted as it; only they and organisers may go on.",
    )
    is_private = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text="Made at a private challenge: elsewhere its name is free, and tells nothing.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ParticipantQuerySet.as_manager()

    class Meta:
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
