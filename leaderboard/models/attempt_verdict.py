from __future__ import annotations

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from leaderboard.models.attempt import Attempt
from leaderboard.models.condition_set import ConditionSet


class AttemptVerdict(models.Model):
    """What the rules of a challenge say of an attempt.

    Derived from the evidence, so that it can be deleted and computed again. `findings` are a list
    of `StoredFinding`s.
    """

    class Verdict(models.TextChoices):
        OK = "ok", gettext_lazy("Meets the rules")
        FLAGGED = "flagged", gettext_lazy("Flagged")
        REFUSED = "refused", gettext_lazy("Does not meet the rules")

    attempt = models.OneToOneField(
        Attempt, models.CASCADE, primary_key=True, related_name="verdict"
    )
    condition_set = models.ForeignKey(ConditionSet, models.CASCADE, related_name="+")
    verdict = models.CharField(max_length=7, choices=Verdict.choices)
    findings = models.JSONField(default=list)
    at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.attempt_id}: {self.verdict}"
