from __future__ import annotations

from django.db import models

from leaderboard.models.attempt import Attempt
from leaderboard.models.challenge import Challenge


class SamplePrint(models.Model):
    """A digest by which a sample, a result or an output is recognised in another attempt.

    Stored only where a rule of the challenge compares such prints. Two attempts may have the same
    one: it shows which came first. Derived from the evidence.
    """

    class Kind(models.IntegerChoices):
        ID = 1
        RESULT = 2
        OUTPUT = 3
        PATTERN = 4

    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="+", db_index=False)
    kind = models.PositiveSmallIntegerField(choices=Kind.choices)
    digest = models.BinaryField(max_length=16)
    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="+")

    class Meta:
        indexes = [
            models.Index(fields=["challenge", "kind", "digest"], name="prints_by_digest"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.attempt_id}"
