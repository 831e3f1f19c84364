from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from leaderboard.models.scoring_config import ScoringConfig


class RescoreSliceQuerySet(models.QuerySet["RescoreSlice"]):
    def waiting(self) -> RescoreSliceQuerySet:
        """Slices that are not done and that no worker holds with a valid lease."""
        return self.filter(done=False).filter(
            Q(lease_until__isnull=True) | Q(lease_until__lt=Now())
        )


class RescoreSlice(models.Model):
    """A range of attempt ids that one worker scores again under a new config.

    With slices, many workers share a rescore, and it continues after a restart.
    """

    config = models.ForeignKey(ScoringConfig, models.CASCADE, related_name="slices")
    first = models.UUIDField()
    last = models.UUIDField()
    attempts = models.PositiveIntegerField()
    done = models.BooleanField(default=False)
    deliveries = models.PositiveSmallIntegerField(default=0)
    lease_token = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)

    objects = RescoreSliceQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["config", "first"], name="one_slice_per_range")
        ]
        indexes = [models.Index(fields=["config", "done"], name="slices_to_do")]

    def __str__(self) -> str:
        return f"{self.first} to {self.last}"
