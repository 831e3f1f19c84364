from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from leaderboard.models.attempt import Attempt


class HumanLabel(models.Model):
    """What a person says of one reward of one sample that a judge has decided.

    labeller: identifies who says it: an account, or a text that organisers have sent. A later label
    of the same labeller replaces it.
    """

    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="labels", db_index=False)
    task = models.CharField(max_length=255)
    sample = models.PositiveIntegerField()
    reward = models.CharField(max_length=255)
    labeller = models.CharField(max_length=120)
    value = models.FloatField()
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["attempt", "task", "sample", "reward", "labeller"],
                name="one_label_of_a_labeller",
            )
        ]

    def __str__(self) -> str:
        return f"label of {self.attempt_id}: {self.value:g}"
