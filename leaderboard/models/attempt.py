from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import BooleanField, F, Func, Q
from django.db.models.functions import Now
from django.urls import reverse

from leaderboard.facts import get_fact, known_facts
from leaderboard.models.challenge import Challenge
from leaderboard.models.fact_fields import fact_checks, fact_fields
from leaderboard.models.participant import Participant
from leaderboard.models.scoring_config import ScoringConfig
from leaderboard.models.tenant import Tenant
from leaderboard.models.user import User
from leaderboard.rules.ids import uuid7

WAITING = ("queued", "scoring")
"""Statuses of attempts that have no result yet and that a worker has, or may take."""


def _literally(condition: str) -> Func:
    """A condition on the status, as text: SQLite uses a partial index for no parameter."""
    return Func(F("status"), template=f"%(expressions)s {condition}", output_field=BooleanField())


class AttemptQuerySet(models.QuerySet["Attempt"]):
    def visible_to(self, user: User | AnonymousUser | None) -> AttemptQuerySet:
        return self.filter(challenge__in=Challenge.objects.visible_to(user))

    def unfinished(self) -> AttemptQuerySet:
        """Waiting for a worker, or in the hands of one."""
        return self.filter(_literally("IN ('queued', 'scoring')"))

    def queued(self) -> AttemptQuerySet:
        """Not yet claimed."""
        return self.unfinished().filter(status=Attempt.Status.QUEUED)

    def held(self) -> AttemptQuerySet:
        """Waiting for an organiser, because the code of a plugin has changed."""
        return self.filter(_literally("= 'held'"))

    def leased(self) -> AttemptQuerySet:
        """Being scored, whether or not the lease still runs. No other attempt has one."""
        return self.filter(lease_until__isnull=False)

    def overdue(self) -> AttemptQuerySet:
        """Claimed by a worker whose lease has run out, or that has let it go."""
        return self.leased().filter(lease_until__lt=Now())

    def let_go(self) -> AttemptQuerySet:
        """In the middle of their evaluation: the worker had others to look after."""
        return self.leased().filter(lease_token=None)

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

    `services.next_claim` says which attempt is next. Within its tenant it is the one with the
    lowest `priority`, then the smallest `due_at`; see `services.waiting`.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        HELD = "held"
        SCORING = "scoring"
        SCORED = "scored"
        FAILED = "failed"

    class Priority(models.IntegerChoices):
        """History is what an organiser brings of the past. It waits behind fresh attempts."""

        FRESH = 0
        HISTORY = 1

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
    tenant = models.ForeignKey(
        Tenant,
        models.PROTECT,
        related_name="attempts",
        db_index=False,
        editable=False,
        help_text="That of the challenge, kept here for the order of the queue.",
    )
    priority = models.PositiveSmallIntegerField(
        choices=Priority.choices, db_default=Priority.FRESH, editable=False
    )
    queued_at = models.DateTimeField(
        db_default=Now(),
        editable=False,
        help_text="When it began to wait, by the database's clock.",
    )
    due_at = models.DateTimeField(
        db_default=Now(),
        editable=False,
        help_text="Its place among the attempts of its tenant that wait.",
    )

    # In the body of the class, so that Django takes them for fields that are written here.
    vars().update(fact_fields())
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
            *fact_checks(),
        ]
        indexes = [
            models.Index(fields=["challenge", "-submitted_at", "-id"], name="attempts_newest"),
            models.Index(
                fields=["participant", "challenge", "-submitted_at"], name="attempts_of_one"
            ),
            models.Index(fields=["challenge", "finished_at"], name="attempts_finished"),
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
            models.Index(fields=["challenge"], name="attempts_held", condition=Q(status="held")),
        ]

    def __str__(self) -> str:
        return str(self.id)

    def get_absolute_url(self) -> str:
        return reverse("attempt", args=[self.id])

    def metrics(self) -> dict[str, float | bool | None]:
        """The facts as submitted, by the names of the API; absent ones are `None`."""
        return {key: getattr(self, fact.field) for key, fact in known_facts().items()}

    def fact(self, key: str) -> Any:
        """One of them; None where it is absent. Raises KeyError."""
        return getattr(self, get_fact(key).field)
