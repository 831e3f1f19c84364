from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import BooleanField, F, Func, Q
from django.db.models.functions import Now
from django.urls import reverse
from django.utils.translation import gettext_lazy, pgettext_lazy

from leaderboard.facts import get_fact, known_facts
from leaderboard.models.attempt_indexes import INDEXES
from leaderboard.models.challenge import Challenge
from leaderboard.models.fact_fields import fact_checks, fact_fields
from leaderboard.models.json_numbers_field import JsonNumbersField
from leaderboard.models.participant import Participant
from leaderboard.models.phase import Phase
from leaderboard.models.scoring_config import ScoringConfig
from leaderboard.models.tenant import Tenant
from leaderboard.models.user import User
from leaderboard.operating.request_ids import MAX_LENGTH
from leaderboard.rules.ids import uuid7


def _literally(condition: str) -> Func:
    """A condition on the status as literal SQL: with parameters, SQLite uses no partial index."""
    return Func(F("status"), template=f"%(expressions)s {condition}", output_field=BooleanField())


class AttemptQuerySet(models.QuerySet["Attempt"]):
    def visible_to(self, user: User | AnonymousUser | None) -> AttemptQuerySet:
        return self.filter(challenge__in=Challenge.objects.visible_to(user))

    def without_sample(self, challenge: Challenge) -> AttemptQuerySet:
        """Without the sample attempt, if the challenge is a draft that has one."""
        return self.exclude(pk=challenge.sample_id) if challenge.sample_id else self

    def unfinished(self) -> AttemptQuerySet:
        """Attempts that wait for a worker or that a worker has claimed."""
        return self.filter(_literally("IN ('queued', 'scoring')"))

    def queued(self) -> AttemptQuerySet:
        """Attempts that no worker has claimed yet."""
        return self.unfinished().filter(status=Attempt.Status.QUEUED)

    def held(self) -> AttemptQuerySet:
        """Attempts that wait for an organiser, because the code of a plugin has changed."""
        return self.filter(_literally("= 'held'"))

    def leased(self) -> AttemptQuerySet:
        """Attempts with a lease, expired or not: those being scored, and no others."""
        return self.filter(lease_until__isnull=False)

    def overdue(self) -> AttemptQuerySet:
        """Attempts whose lease has expired, or whose worker gave them back."""
        return self.leased().filter(lease_until__lt=Now())

    def released(self) -> AttemptQuerySet:
        """Attempts that wait in the middle of their evaluation, as their worker scores others."""
        return self.leased().filter(lease_token=None)

    def short(self) -> AttemptQuerySet:
        """Attempts without instances, which take a moment to score."""
        return self.filter(instance_count=None)

    def long(self) -> AttemptQuerySet:
        """Attempts with instances, which may take minutes to score."""
        return self.filter(instance_count__isnull=False)


class Attempt(models.Model):
    """One recorded try at a challenge. What was submitted never changes.

    The row is also the queue: `status`, the lease and `deliveries` say which worker scores it. The
    final `status` is `scored` or `failed`, under the scoring config it was submitted with. Readers
    see a `held` attempt as a queued one that waits for an organiser.

    `services.scoring.next_claim` selects the next attempt. Within a tenant it is the one with the
    lowest `priority`, then the smallest `due_at`; see `services.attempts.waiting`.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", gettext_lazy("Queued")
        HELD = "held", gettext_lazy("Held")
        SCORING = "scoring", pgettext_lazy("status", "Scoring")
        SCORED = "scored", gettext_lazy("Scored")
        FAILED = "failed", gettext_lazy("Failed")

    class Priority(models.IntegerChoices):
        """History is imported by organisers and waits behind fresh attempts."""

        FRESH = 0
        HISTORY = 1

    id = models.UUIDField(
        primary_key=True, default=uuid7, editable=False, verbose_name=gettext_lazy("id")
    )
    challenge = models.ForeignKey(
        Challenge,
        models.CASCADE,
        related_name="attempts",
        db_index=False,
        verbose_name=gettext_lazy("challenge"),
    )
    participant = models.ForeignKey(
        Participant,
        models.CASCADE,
        related_name="attempts",
        db_index=False,
        verbose_name=gettext_lazy("participant"),
    )
    scoring_config = models.ForeignKey(
        ScoringConfig,
        models.PROTECT,
        related_name="attempts",
        db_index=False,
        verbose_name=gettext_lazy("scoring config"),
    )
    phase = models.ForeignKey(
        Phase,
        models.PROTECT,
        null=True,
        related_name="attempts",
        db_index=False,
        editable=False,
        verbose_name=gettext_lazy("phase"),
    )
    charged_day = models.DateField(
        null=True,
        editable=False,
        help_text=gettext_lazy("Whose limits it counts towards, in the phase's zone; empty: none."),
        verbose_name=gettext_lazy("charged day"),
    )
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="attempts",
        verbose_name=gettext_lazy("submitted by"),
    )
    submitted_at = models.DateTimeField(db_default=Now(), verbose_name=gettext_lazy("submitted at"))
    received_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text=gettext_lazy("When the server received it; empty: before this was recorded."),
        verbose_name=gettext_lazy("received at"),
    )
    # The challenge belongs to the same tenant and protects it, so a second constraint would only
    # make each INSERT look up the tenant, and its deletion look through all attempts.
    tenant = models.ForeignKey(
        Tenant,
        models.DO_NOTHING,
        related_name="attempts",
        db_index=False,
        db_constraint=False,
        editable=False,
        help_text=gettext_lazy("That of the challenge, kept here for the order of the queue."),
        verbose_name=gettext_lazy("tenant"),
    )
    priority = models.PositiveSmallIntegerField(
        choices=Priority.choices,
        db_default=Priority.FRESH,
        editable=False,
        verbose_name=gettext_lazy("priority"),
    )
    queued_at = models.DateTimeField(
        db_default=Now(),
        editable=False,
        help_text=gettext_lazy("When it began to wait, by the database's clock."),
        verbose_name=gettext_lazy("queued at"),
    )
    retried_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text=gettext_lazy("When it was last queued again after it had ended."),
        verbose_name=gettext_lazy("retried at"),
    )
    due_at = models.DateTimeField(
        db_default=Now(),
        editable=False,
        help_text=gettext_lazy("Its place among the attempts of its tenant that wait."),
        verbose_name=gettext_lazy("due at"),
    )

    # In the class body, so that Django treats them like fields that are written here.
    vars().update(fact_fields())
    values = JsonNumbersField(
        default=dict,
        blank=True,
        help_text=gettext_lazy("Numbers by name, as the participant reported them."),
        verbose_name=gettext_lazy("values"),
    )
    sample_count = models.PositiveIntegerField(
        null=True,
        editable=False,
        help_text=gettext_lazy("The number of samples in the attempt; empty: none."),
        verbose_name=gettext_lazy("sample count"),
    )
    instance_count = models.PositiveIntegerField(
        null=True,
        editable=False,
        help_text=gettext_lazy(
            "How many instances it is evaluated on; empty: it has no evidence of that kind."
        ),
        verbose_name=gettext_lazy("instance count"),
    )
    runs_program = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text=gettext_lazy("Whether a scoring program reads its file, which may take long."),
        verbose_name=gettext_lazy("runs program"),
    )
    meta = models.JSONField(default=dict, blank=True, verbose_name=gettext_lazy("meta"))
    note = models.TextField(blank=True, verbose_name=gettext_lazy("note"))
    idempotency_key = models.CharField(
        max_length=200, blank=True, editable=False, verbose_name=gettext_lazy("idempotency key")
    )
    body_hash = models.CharField(
        max_length=64, blank=True, editable=False, verbose_name=gettext_lazy("body hash")
    )
    request_id = models.CharField(
        max_length=MAX_LENGTH,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text=gettext_lazy("Of the request that queued it last; empty: no request did."),
        verbose_name=gettext_lazy("request id"),
    )

    copied_from = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="copies",
        db_index=False,
        editable=False,
        help_text=gettext_lazy("The attempt of an earlier phase that it is a copy of."),
        verbose_name=gettext_lazy("copied from"),
    )
    agreed_until = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text=gettext_lazy(
            "Until when its participant could submit after the end of the phase, by agreement."
        ),
        verbose_name=gettext_lazy("agreed until"),
    )
    status = models.CharField(
        max_length=8,
        choices=Status.choices,
        default=Status.QUEUED,
        verbose_name=gettext_lazy("status"),
    )
    deliveries = models.PositiveSmallIntegerField(
        default=0, editable=False, verbose_name=gettext_lazy("deliveries")
    )
    lease_token = models.UUIDField(
        null=True, editable=False, verbose_name=gettext_lazy("lease token")
    )
    lease_until = models.DateTimeField(
        null=True, editable=False, verbose_name=gettext_lazy("lease until")
    )
    finished_at = models.DateTimeField(
        null=True, editable=False, verbose_name=gettext_lazy("finished at")
    )
    withdrawn_at = models.DateTimeField(
        null=True, blank=True, verbose_name=gettext_lazy("withdrawn at")
    )
    chosen_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text=gettext_lazy("When the participant chose it to count; empty: it is not chosen."),
        verbose_name=gettext_lazy("chosen at"),
    )
    withdrawn_reason = models.CharField(
        max_length=300, blank=True, verbose_name=gettext_lazy("withdrawn reason")
    )

    standing = models.PositiveSmallIntegerField(
        db_default=0,
        editable=False,
        help_text=gettext_lazy("Whether it counts by rules and decisions: see `AttemptStanding`."),
        verbose_name=gettext_lazy("standing"),
    )

    objects = AttemptQuerySet.as_manager()

    class Meta:
        verbose_name = gettext_lazy("attempt")
        verbose_name_plural = gettext_lazy("attempts")
        constraints = [
            models.UniqueConstraint(
                fields=["challenge", "submitted_by", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="one_use_per_idempotency_key",
            ),
            models.UniqueConstraint(
                fields=["copied_from", "phase"],
                condition=Q(copied_from__isnull=False),
                name="one_copy_in_a_phase",
            ),
            *fact_checks(),
        ]
        indexes = INDEXES

    def __str__(self) -> str:
        return str(self.id)

    def get_absolute_url(self) -> str:
        return reverse("attempt", args=[self.id])

    def metrics(self) -> dict[str, float | bool | None]:
        """The facts as submitted, by their names in the API; None for an absent fact."""
        return {key: getattr(self, fact.field) for key, fact in known_facts().items()}

    def fact(self, key: str) -> Any:
        """A fact by its name in the API; None if it is absent. Raises KeyError."""
        return getattr(self, get_fact(key).field)
