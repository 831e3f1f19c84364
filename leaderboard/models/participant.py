from __future__ import annotations

from django.conf import settings
from django.db import models

from leaderboard.models.tenant import Tenant


class Participant(models.Model):
    """Who attempts: a system, a person or a team. Unique in its tenant without regard to case."""

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
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "handle_key"], name="one_participant_per_handle"
            ),
            models.UniqueConstraint(fields=["tenant", "slug"], name="one_participant_per_slug"),
        ]
        indexes = [models.Index(fields=["tenant", "skeleton"], name="participants_alike")]

    def __str__(self) -> str:
        return self.shown_name

    @property
    def shown_name(self) -> str:
        return self.name or self.handle
