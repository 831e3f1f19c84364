from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.db.models.functions import Now


class WorkerQuerySet(models.QuerySet["Worker"]):
    def alive(self, within: timedelta) -> WorkerQuerySet:
        """Workers that have been seen within this time, by the database's clock."""
        return self.filter(seen_at__gt=Now() - within)


class Worker(models.Model):
    """A process that scores attempts, and when it was last seen. Each process writes its own row.

    failing: the parts of its sweep that fail again and again, each a `FailingPart`. Deleting rows
    loses nothing.
    """

    name = models.CharField(max_length=200, primary_key=True, help_text="host:process:start")
    version = models.CharField(max_length=40)
    started_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())
    failing = models.JSONField(
        default=list, db_default=models.Value([], output_field=models.JSONField())
    )

    objects = WorkerQuerySet.as_manager()

    class Meta:
        ordering = ["-seen_at"]

    def __str__(self) -> str:
        return self.name
