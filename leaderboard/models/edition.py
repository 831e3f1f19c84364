from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from leaderboard.models.scoring_config import ScoringConfig


class Edition(models.Model):
    """The number of scores that plugins of one code have made under a config.

    Derived from the scores, without those that have an error or whose code is unknown.
    """

    config = models.ForeignKey(ScoringConfig, models.CASCADE, related_name="editions")
    code = models.CharField(max_length=64)
    scores = models.PositiveIntegerField(default=0)
    first_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["config", "first_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["config", "code"], name="one_edition_per_code")
        ]

    def __str__(self) -> str:
        return self.code
