from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from leaderboard.models.choices import choices_of
from leaderboard.schemas.choices import ChallengeRoleName


class ChallengeRole(models.Model):
    """A user's role in one challenge: co-organisers configure it, reviewers see what they see.

    The organisers of the tenant need no such row. `services.competition.roles` decides.
    """

    Role = ChallengeRoleName

    challenge = models.ForeignKey(
        "leaderboard.Challenge",
        models.CASCADE,
        related_name="roles",
        db_index=False,
        verbose_name=gettext_lazy("challenge"),
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="challenge_roles",
        verbose_name=gettext_lazy("user"),
    )
    role = models.CharField(
        max_length=9, choices=choices_of(ChallengeRoleName), verbose_name=gettext_lazy("role")
    )
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=gettext_lazy("added by"),
    )
    added_at = models.DateTimeField(db_default=Now(), verbose_name=gettext_lazy("added at"))

    class Meta:
        verbose_name = gettext_lazy("role in a challenge")
        verbose_name_plural = gettext_lazy("roles in challenges")
        constraints = [
            models.UniqueConstraint(fields=["challenge", "user"], name="one_role_per_challenge")
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.role} of {self.challenge}"
