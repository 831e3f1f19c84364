from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from leaderboard.models.attempt import Attempt
from leaderboard.rules.ids import uuid7


class Verification(models.Model):
    """Somebody has checked an attempt. Everybody who may see the attempt sees this.

    name: who checked it, as readers see it; link: a page that tells how, or "".
    """

    attempt = models.OneToOneField(
        Attempt,
        models.CASCADE,
        primary_key=True,
        related_name="verification",
        verbose_name=gettext_lazy("attempt"),
    )
    name = models.CharField(max_length=120, verbose_name=gettext_lazy("name"))
    link = models.CharField(max_length=500, blank=True, verbose_name=gettext_lazy("link"))
    at = models.DateTimeField(db_default=Now(), verbose_name=gettext_lazy("at"))
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=gettext_lazy("by"),
    )

    class Meta:
        verbose_name = gettext_lazy("verification")
        verbose_name_plural = gettext_lazy("verifications")

    def __str__(self) -> str:
        return f"{self.attempt_id} by {self.name}"


class Annotation(models.Model):
    """What an organiser notes about an attempt: for everybody who may see it, or for organisers."""

    id = models.UUIDField(
        primary_key=True, default=uuid7, editable=False, verbose_name=gettext_lazy("id")
    )
    attempt = models.ForeignKey(
        Attempt,
        models.CASCADE,
        related_name="annotations",
        verbose_name=gettext_lazy("attempt"),
    )
    text = models.TextField(verbose_name=gettext_lazy("text"))
    is_public = models.BooleanField(default=False, verbose_name=gettext_lazy("is public"))
    at = models.DateTimeField(db_default=Now(), verbose_name=gettext_lazy("at"))
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=gettext_lazy("by"),
    )

    class Meta:
        verbose_name = gettext_lazy("annotation")
        verbose_name_plural = gettext_lazy("annotations")
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.attempt_id}: {self.text[:40]}"
