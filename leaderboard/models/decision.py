from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy, pgettext_lazy

from leaderboard.models.attempt import Attempt
from leaderboard.models.challenge import Challenge
from leaderboard.models.participant import Participant


class Decision(models.Model):
    """Who decided what about an attempt, a participant or one sample, when and why.

    Rows are only added; a decision is taken back by another one that `undoes` it. What they mean
    for an attempt is derived: `Attempt.standing`, `withdrawn_at`, a verification, the rulings in
    the evidence. `reason` is public, `note` is for organisers. before, after: numbers and codes.
    """

    class Kind(models.TextChoices):
        RECEIVED = "received", gettext_lazy("Received for review")
        ACCEPTED = "accepted", gettext_lazy("Accepted")
        RETURNED = "returned", gettext_lazy("Returned")
        JUDGED = "judged", gettext_lazy("Judged by other rules")
        WITHDRAWN = "withdrawn", gettext_lazy("Withdrawn")
        RESTORED = "restored", gettext_lazy("Restored")
        DISQUALIFIED = "disqualified", gettext_lazy("Disqualified")
        REINSTATED = "reinstated", gettext_lazy("Reinstated")
        VERIFIED = "verified", gettext_lazy("Verified")
        UNVERIFIED = "unverified", gettext_lazy("No longer verified")
        COUNTS_ZERO = "counts_zero", gettext_lazy("Sample counts zero")
        LEFT_OUT = "left_out", gettext_lazy("Sample left out")
        INFRASTRUCTURE = "infrastructure", gettext_lazy("Error of the infrastructure")
        ROW_KIND = "row_kind", gettext_lazy("Another kind of row")
        APPEALED = "appealed", gettext_lazy("Appealed")
        ANSWERED = "answered", gettext_lazy("Appeal answered")
        UNDONE = "undone", pgettext_lazy("decision", "Undone")

    RULINGS = (Kind.COUNTS_ZERO, Kind.LEFT_OUT, Kind.INFRASTRUCTURE)
    NEEDS_REASON = (*RULINGS, Kind.RETURNED, Kind.APPEALED, Kind.ANSWERED)

    challenge = models.ForeignKey(
        Challenge, models.CASCADE, related_name="decisions", db_index=False
    )
    attempt = models.ForeignKey(
        Attempt, models.CASCADE, null=True, related_name="decisions", db_index=False
    )
    participant = models.ForeignKey(
        Participant, models.CASCADE, related_name="decisions", db_index=False
    )
    kind = models.CharField(max_length=14, choices=Kind.choices)
    task = models.CharField(max_length=255, blank=True)
    sample = models.PositiveIntegerField(null=True)
    reason = models.CharField(max_length=2000, blank=True)
    note = models.CharField(max_length=2000, blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    at = models.DateTimeField(db_default=Now())
    undoes = models.OneToOneField(
        "self", models.CASCADE, null=True, blank=True, related_name="undone_by"
    )
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)

    class Meta:
        verbose_name = gettext_lazy("decision")
        verbose_name_plural = gettext_lazy("decisions")
        ordering = ["at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(
                    kind__in=["counts_zero", "left_out", "infrastructure", "returned", "appealed"]
                )
                | ~Q(reason=""),
                name="decision_with_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["counts_zero", "left_out", "infrastructure"])
                | Q(task="", sample=None),
                name="only_rulings_have_a_sample",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["undone"]) | Q(undoes=None), name="only_undone_undoes"
            ),
        ]
        indexes = [
            models.Index(fields=["challenge", "at", "id"], name="decisions_in_order"),
            models.Index(fields=["attempt"], name="decisions_of_attempt"),
            models.Index(fields=["participant"], name="decisions_of_participant"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}, {self.at}"
