from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from leaderboard.models.challenge import Challenge
from leaderboard.rules.ids import uuid7


class Notice(models.Model):
    """Something that one user is told of a challenge: on the page of notices, and perhaps by mail.

    key: what it is about; a user has one notice of each. kind: a `NoticeKind`. what, body: codes
    and numbers of which `services.notices.texts` makes a sentence; never scores. mail_at: when a
    mail with it is due; empty if none is, or once it is among the outgoing mail.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="notices", db_index=False
    )
    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="+")
    key = models.CharField(max_length=120)
    kind = models.CharField(max_length=20)
    what = models.CharField(max_length=20)
    body = models.JSONField(default=dict)
    at = models.DateTimeField(db_default=Now())
    read_at = models.DateTimeField(null=True)
    mail_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="one_notice_of_each")]
        indexes = [
            models.Index(fields=["user"], name="notices_unread", condition=Q(read_at=None)),
            models.Index(fields=["mail_at"], name="notices_to_mail", condition=~Q(mail_at=None)),
        ]

    def __str__(self) -> str:
        return f"{self.what} {self.key}"
