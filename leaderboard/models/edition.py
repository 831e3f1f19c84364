from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from leaderboard.models.scoring_config import ScoringConfig


class Edition(models.Model):
    """How many scores under a config plugins of one code have made. Derived from the scores.

    Scores with an error, and those whose code is not known, are not counted.
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
