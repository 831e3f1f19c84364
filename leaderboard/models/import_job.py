from __future__ import annotations

import uuid
from typing import Any

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from leaderboard.models.challenge import Challenge
from leaderboard.models.user import User
from leaderboard.rules.ids import uuid7


class ImportJobQuerySet(models.QuerySet["ImportJob"]):
    def to_do(self) -> ImportJobQuerySet:
        """Jobs that wait, and those of workers that have been lost."""
        lost = Q(state=ImportJob.State.WORKING, lease_until__lt=Now())
        return self.filter(Q(state=ImportJob.State.WAITING) | lost)


class ImportJob(models.Model):
    """A result file with many rows, which a worker reads: first for a preview, then to import it.

    asked: the arguments of `services.imports.jobs`. content: the compressed file, empty once it is
    imported. result: what the page and the API say of it; error: why it was refused.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        WORKING = "working"
        DONE = "done"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="import_jobs")
    user = models.ForeignKey(User, models.CASCADE, related_name="import_jobs")
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    dry_run = models.BooleanField(default=True)
    asked = models.JSONField()
    content = models.BinaryField()
    attempts = models.PositiveIntegerField(null=True)
    result: models.JSONField[Any, Any] = models.JSONField(null=True)
    error: models.JSONField[Any, Any] = models.JSONField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    lease_token: models.UUIDField[uuid.UUID | None, uuid.UUID | None] = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    deliveries = models.PositiveSmallIntegerField(default=0)

    objects = ImportJobQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["state", "lease_until"], name="import_jobs_to_do")]

    def __str__(self) -> str:
        return f"{self.challenge_id}: {self.state}"
