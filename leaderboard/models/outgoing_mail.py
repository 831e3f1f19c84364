from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from leaderboard.models.letter import Letter
from leaderboard.rules.ids import uuid7


class OutgoingMail(models.Model):
    """A mail to one address that is not sent yet; it is deleted once it is.

    kind: the `NoticeKind` that one click switches off, `all` for several; "" for none. letter: the
    letter of which it is a copy. due_at: of the next try. lease_until: a process is sending it
    until then.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="outgoing_mail"
    )
    letter = models.ForeignKey(Letter, models.CASCADE, null=True, related_name="outgoing")
    address = models.CharField(max_length=254)
    reply_to = models.CharField(max_length=254, blank=True, default="")
    subject = models.TextField()
    text = models.TextField()
    kind = models.CharField(max_length=20, blank=True, default="")
    due_at = models.DateTimeField(db_default=Now(), db_index=True)
    lease_until = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return self.subject
