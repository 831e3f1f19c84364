from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from leaderboard.models.challenge import Challenge
from leaderboard.rules.ids import uuid7


class Announcement(models.Model):
    """An announcement to everybody who may see the challenge. The text is Markdown."""

    id = models.UUIDField(
        primary_key=True, default=uuid7, editable=False, verbose_name=gettext_lazy("id")
    )
    challenge = models.ForeignKey(
        Challenge,
        models.CASCADE,
        related_name="announcements",
        db_index=False,
        verbose_name=gettext_lazy("challenge"),
    )
    at = models.DateTimeField(db_default=Now(), verbose_name=gettext_lazy("at"))
    changed_at = models.DateTimeField(
        null=True, blank=True, verbose_name=gettext_lazy("changed at")
    )
    title = models.CharField(max_length=200, verbose_name=gettext_lazy("title"))
    text = models.TextField(
        blank=True, help_text=gettext_lazy("Markdown."), verbose_name=gettext_lazy("text")
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=gettext_lazy("by"),
    )

    class Meta:
        verbose_name = gettext_lazy("announcement")
        verbose_name_plural = gettext_lazy("announcements")
        ordering = ["-at", "-pk"]
        indexes = [
            models.Index(fields=["challenge", "-at", "-id"], name="announcements_newest"),
        ]

    def __str__(self) -> str:
        return self.title
