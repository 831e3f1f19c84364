from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from leaderboard.models.challenge import Challenge


class Letter(models.Model):
    """A mail of organisers to people who take part, and what became of it.

    refused: the addresses to which it could not be sent, with the reason of the mail server.
    ended_at: when the last address was tried.
    """

    challenge = models.ForeignKey(
        Challenge,
        models.CASCADE,
        related_name="letters",
        verbose_name=gettext_lazy("challenge"),
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=gettext_lazy("by"),
    )
    at = models.DateTimeField(db_default=Now(), verbose_name=gettext_lazy("at"))
    subject = models.CharField(max_length=150, verbose_name=gettext_lazy("subject"))
    text = models.TextField(verbose_name=gettext_lazy("text"))
    addresses = models.PositiveIntegerField(verbose_name=gettext_lazy("addresses"))
    sent = models.PositiveIntegerField(default=0, verbose_name=gettext_lazy("sent"))
    refused = models.JSONField(default=list, blank=True, verbose_name=gettext_lazy("refused"))
    ended_at = models.DateTimeField(null=True, blank=True, verbose_name=gettext_lazy("ended at"))

    class Meta:
        verbose_name = gettext_lazy("letter")
        verbose_name_plural = gettext_lazy("letters")
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return self.subject
