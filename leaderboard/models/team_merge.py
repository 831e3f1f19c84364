from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from leaderboard.models.challenge import Challenge
from leaderboard.models.participant import Participant


class TeamMergeQuerySet(models.QuerySet["TeamMerge"]):
    def waiting(self) -> TeamMergeQuerySet:
        """Requests that the other captain has not accepted yet."""
        return self.filter(merged_at=None)


class TeamMerge(models.Model):
    """A team's request to become a part of another team in a challenge.

    Once accepted (`merged_at`), the address of the team leads to the other one.
    """

    challenge = models.ForeignKey(
        Challenge,
        models.CASCADE,
        related_name="team_merges",
        db_index=False,
        verbose_name=gettext_lazy("challenge"),
    )
    team = models.ForeignKey(
        Participant,
        models.CASCADE,
        related_name="merges",
        help_text=gettext_lazy("The team that gives up its name in this challenge."),
        verbose_name=gettext_lazy("team"),
    )
    into = models.ForeignKey(
        Participant,
        models.CASCADE,
        related_name="merges_into",
        help_text=gettext_lazy("The team that gets its members and attempts."),
        verbose_name=gettext_lazy("into"),
    )
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=gettext_lazy("asked by"),
    )
    asked_at = models.DateTimeField(db_default=Now(), verbose_name=gettext_lazy("asked at"))
    merged_at = models.DateTimeField(null=True, blank=True, verbose_name=gettext_lazy("merged at"))

    objects = TeamMergeQuerySet.as_manager()

    class Meta:
        verbose_name = gettext_lazy("merge of teams")
        verbose_name_plural = gettext_lazy("merges of teams")
        constraints = [
            models.UniqueConstraint(fields=["challenge", "team"], name="one_merge_per_team"),
            models.CheckConstraint(condition=~Q(team=F("into")), name="teams_merge_into_others"),
        ]

    def __str__(self) -> str:
        return f"{self.team} into {self.into}"
