from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from leaderboard.models.challenge import Challenge
from leaderboard.models.participant import Participant
from leaderboard.models.scoring_config import ScoringConfig
from leaderboard.models.user import User
from leaderboard.rules.ids import uuid7

COUNT_LIMIT = 10**15
"""Counts and times are integers from 0 to this."""

FACTS = (
    "succeeded",
    "tokens_total",
    "elapsed_ms",
    "rating",
    "created_at",
    "cost_usd",
    "input_tokens",
    "output_tokens",
)
"""Names of the facts under `metrics`, as submitted and as read."""


class AttemptQuerySet(models.QuerySet["Attempt"]):
    def visible_to(self, user: User | AnonymousUser | None) -> AttemptQuerySet:
        return self.filter(challenge__in=Challenge.objects.visible_to(user))

    def queued(self) -> AttemptQuerySet:
        """Not yet claimed, the oldest first."""
        return self.filter(status=Attempt.Status.QUEUED).order_by("submitted_at")

    def held(self) -> AttemptQuerySet:
        """Waiting for an organiser, because the code of a plugin has changed."""
        return self.filter(status=Attempt.Status.HELD)

    def overdue(self) -> AttemptQuerySet:
        """Claimed by a worker whose lease has run out, or that has let it go."""
        return self.filter(status=Attempt.Status.SCORING, lease_until__lt=Now())

    def let_go(self) -> AttemptQuerySet:
        """In the middle of their evaluation: the worker had others to look after."""
        return self.filter(status=Attempt.Status.SCORING, lease_token=None)

    def short(self) -> AttemptQuerySet:
        """Those that take a moment: they have no instances to be evaluated."""
        return self.filter(instance_count=None)

    def long(self) -> AttemptQuerySet:
        """Those that may take minutes."""
        return self.filter(instance_count__isnull=False)


class Attempt(models.Model):
    """One recorded try at a challenge. What was submitted never changes.

    The row is also the queue: `status`, the lease and `deliveries` say who scores it. `status`
    ends as `scored` or `failed` under the scoring config it was submitted with. Readers see a
    `held` attempt as a queued one that waits for an organiser.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        HELD = "held"
        SCORING = "scoring"
        SCORED = "scored"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    challenge = models.ForeignKey(
        Challenge, models.CASCADE, related_name="attempts", db_index=False
    )
    participant = models.ForeignKey(
        Participant, models.CASCADE, related_name="attempts", db_index=False
    )
    scoring_config = models.ForeignKey(
        ScoringConfig, models.PROTECT, related_name="attempts", db_index=False
    )
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="attempts"
    )
    submitted_at = models.DateTimeField(db_default=Now())

    succeeded = models.BooleanField(null=True, blank=True)
    tokens_total = models.BigIntegerField(null=True, blank=True)
    elapsed_ms = models.BigIntegerField(null=True, blank=True)
    rating = models.FloatField(null=True, blank=True)
    reported_created_at = models.BigIntegerField(
        null=True, blank=True, help_text="`created_at` as reported, in epoch milliseconds."
    )
    cost_usd = models.FloatField(null=True, blank=True)
    input_tokens = models.BigIntegerField(null=True, blank=True)
    output_tokens = models.BigIntegerField(null=True, blank=True)
    values = models.JSONField(
        default=dict, blank=True, help_text="Numbers by name, as the participant reported them."
    )
    sample_count = models.PositiveIntegerField(
        null=True,
        editable=False,
        help_text="How many samples of tasks it brought; empty: it has no evidence of that kind.",
    )
    instance_count = models.PositiveIntegerField(
        null=True,
        editable=False,
        help_text="How many instances it is evaluated on; empty: it has no evidence of that kind.",
    )
    meta = models.JSONField(default=dict, blank=True)
    note = models.TextField(blank=True)
    idempotency_key = models.CharField(max_length=200, blank=True, editable=False)
    body_hash = models.CharField(max_length=64, blank=True, editable=False)

    status = models.CharField(max_length=8, choices=Status.choices, default=Status.QUEUED)
    deliveries = models.PositiveSmallIntegerField(default=0, editable=False)
    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(null=True, editable=False)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_reason = models.CharField(max_length=300, blank=True)

    objects = AttemptQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["challenge", "submitted_by", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="one_use_per_idempotency_key",
            ),
            *(
                models.CheckConstraint(
                    condition=Q(**{f"{name}__isnull": True})
                    | Q(**{f"{name}__gte": 0, f"{name}__lte": limit}),
                    name=f"{name}_in_range",
                )
                for name, limit in [
                    ("tokens_total", COUNT_LIMIT),
                    ("elapsed_ms", COUNT_LIMIT),
                    ("input_tokens", COUNT_LIMIT),
                    ("output_tokens", COUNT_LIMIT),
                    ("cost_usd", COUNT_LIMIT),
                    ("rating", 10),
                ]
            ),
        ]
        indexes = [
            models.Index(fields=["challenge", "-submitted_at", "-id"], name="attempts_newest"),
            models.Index(
                fields=["participant", "challenge", "-submitted_at"], name="attempts_of_one"
            ),
            models.Index(fields=["status", "submitted_at"], name="attempts_by_status"),
            models.Index(fields=["challenge", "finished_at"], name="attempts_finished"),
        ]

    def __str__(self) -> str:
        return str(self.id)

    def get_absolute_url(self) -> str:
        return f"/attempts/{self.id}/"

    def metrics(self) -> dict[str, float | bool | None]:
        """The facts as submitted, by the names of the API; absent ones are `None`."""
        return {
            name: self.reported_created_at if name == "created_at" else getattr(self, name)
            for name in FACTS
        }
