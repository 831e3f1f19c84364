from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from leaderboard.models.challenge_file import LONGEST_NAME
from leaderboard.rules.ids import uuid7


class UploadInPieces(models.Model):
    """A large file that arrives in pieces, for a day. received: the bytes that are there.

    The pieces are on the disk, in the folder of `services.files.uploads`.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="uploads")
    name = models.CharField(max_length=LONGEST_NAME)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    received = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.name}: {self.received} of {self.size}"
