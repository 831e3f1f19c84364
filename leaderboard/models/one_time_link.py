from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from leaderboard.models.challenge import Challenge
from leaderboard.models.participant import Participant
from leaderboard.models.tenant import Membership, Tenant


class OneTimeLinkQuerySet(models.QuerySet["OneTimeLink"]):
    def open(self) -> OneTimeLinkQuerySet:
        """Links that are unused and not expired, by the database's clock."""
        return self.filter(used_at=None, expires_at__gt=Now())


class OneTimeLink(models.Model):
    """A link that works once, for one purpose. Only a hash of its code is stored."""

    class Purpose(models.TextChoices):
        INVITATION = "invitation", _("Invitation")
        SIGN_IN = "sign_in", _("Sign In")
        PASSWORD = "password", _("Password")
        TEAM = "team", _("Team")

    digest = models.CharField(max_length=64, unique=True, editable=False)
    purpose = models.CharField(max_length=12, choices=Purpose.choices)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="one_time_links",
        help_text="The user who may sign in with it; empty for an invitation.",
    )
    tenant = models.ForeignKey(
        Tenant, models.CASCADE, null=True, blank=True, related_name="invitations"
    )
    role = models.CharField(
        max_length=12,
        choices=Membership.Role.choices,
        default=Membership.Role.MEMBER,
        help_text="What the invited person becomes in the tenant.",
    )
    challenge = models.ForeignKey(
        Challenge,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="team_links",
        help_text="Where the team takes part, or where an invitation leads.",
    )
    participant = models.ForeignKey(
        Participant,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="team_links",
        help_text="The team that its holder joins.",
    )
    label = models.CharField(max_length=254, blank=True, help_text="For whom it was made.")
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who made it; empty: a command. It permits only what this user may still do.",
    )
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    objects = OneTimeLinkQuerySet.as_manager()

    class Meta:
        ordering = ["-made_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.purpose} for {self.user or self.label or 'anybody'}"
