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

    Once accepted (`merged_at`), the address of the team leads to the other one. `into` is null if
    no team has the name that was asked for: the asking team is not told.
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
        null=True,
        blank=True,
        related_name="merges_into",
        help_text=gettext_lazy("The team that gets its members and attempts."),
        verbose_name=gettext_lazy("into"),
    )
    asked_name = models.CharField(
        max_length=140,
        blank=True,
        db_default="",
        default="",
        help_text=gettext_lazy("The name as the captain wrote it."),
        verbose_name=gettext_lazy("asked name"),
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


class AskedMerge(models.Model):
    """A request to merge of the last day, also one that was taken back or refused.

    So a team asks another one once a day. into: null if no team has the name.
    """

    challenge = models.ForeignKey(
        Challenge,
        models.CASCADE,
        related_name="+",
        db_index=False,
        verbose_name=gettext_lazy("challenge"),
    )
    team = models.ForeignKey(
        Participant, models.CASCADE, related_name="+", verbose_name=gettext_lazy("team")
    )
    name_key = models.CharField(max_length=400, verbose_name=gettext_lazy("name key"))
    into = models.ForeignKey(
        Participant,
        models.CASCADE,
        null=True,
        related_name="+",
        verbose_name=gettext_lazy("into"),
    )
    asked_at = models.DateTimeField(verbose_name=gettext_lazy("asked at"))

    class Meta:
        verbose_name = gettext_lazy("request to merge")
        verbose_name_plural = gettext_lazy("requests to merge")
        constraints = [
            models.UniqueConstraint(
                fields=["challenge", "team", "name_key"], name="one_asked_merge_per_name"
            )
        ]

    def __str__(self) -> str:
        return f"{self.team_id}: {self.name_key}"
