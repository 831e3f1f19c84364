"""The indexes of attempts: one for each way in which they are searched and claimed."""

from __future__ import annotations

from typing import Final

from django.db import models
from django.db.models import Q

WAITING = ("queued", "scoring")
"""The statuses of attempts without a result that a worker has claimed or may claim."""

INDEXES: Final = [
    models.Index(fields=["challenge", "-submitted_at", "-id"], name="attempts_newest"),
    models.Index(fields=["participant", "challenge", "-submitted_at"], name="attempts_of_one"),
    models.Index(fields=["challenge", "finished_at"], name="attempts_finished"),
    models.Index(fields=["phase", "participant"], name="attempts_of_phase"),
    models.Index(fields=["scoring_config"], name="attempts_of_config"),
    models.Index(
        fields=["tenant", "priority", "due_at"],
        name="attempts_short",
        condition=Q(status__in=WAITING, instance_count__isnull=True),
    ),
    models.Index(
        fields=["tenant", "priority", "due_at"],
        name="attempts_long",
        condition=Q(status__in=WAITING, instance_count__isnull=False),
    ),
    models.Index(
        fields=["tenant", "priority", "due_at"],
        name="attempts_of_programs",
        condition=Q(status__in=WAITING, runs_program=True),
    ),
    models.Index(
        fields=["participant", "priority", "due_at"],
        name="attempts_waiting_of_one",
        condition=Q(status__in=WAITING),
    ),
    models.Index(
        fields=["priority", "queued_at"],
        name="attempts_by_age",
        condition=Q(status__in=WAITING),
    ),
    models.Index(
        fields=["finished_at"],
        name="attempts_by_end",
        condition=Q(finished_at__isnull=False),
    ),
    models.Index(
        fields=["lease_until"],
        name="attempts_leased",
        condition=Q(lease_until__isnull=False),
    ),
    models.Index(
        fields=["challenge", "submitted_at"],
        name="attempts_not_counting",
        condition=Q(standing__gt=0),
    ),
    models.Index(fields=["challenge"], name="attempts_held", condition=Q(status="held")),
    models.Index(
        fields=["tenant", "participant"],
        name="attempts_held_of_one",
        condition=Q(status="held"),
    ),
]
