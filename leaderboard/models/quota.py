from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from leaderboard.models.participant import Participant
from leaderboard.models.phase import Phase

DAY: Final = "day"
MONTH: Final = "month"
TOTAL: Final = "total"
WEEK: Final = "week"


class UseCounter(models.Model):
    """How much of one limit is used in one period."""

    kind = models.CharField(max_length=5, verbose_name=gettext_lazy("kind"))
    period = models.CharField(max_length=10, blank=True, verbose_name=gettext_lazy("period"))
    used = models.PositiveIntegerField(verbose_name=gettext_lazy("used"))

    class Meta:
        abstract = True


class QuotaUse(UseCounter):
    """How many attempts of a participant count towards one limit of a phase.

    kind: `day`, `month`, `total` or `week`. period: the day (`2026-11-22`), the month (`2026-11`),
    the week (`2026-W47`), or empty.
    `services.competition` changes it in the transaction that saves the attempts, and can count it
    again from the attempts.
    """

    phase = models.ForeignKey(
        Phase,
        models.CASCADE,
        related_name="quota_uses",
        db_index=False,
        verbose_name=gettext_lazy("phase"),
    )
    participant = models.ForeignKey(
        Participant,
        models.CASCADE,
        related_name="quota_uses",
        verbose_name=gettext_lazy("participant"),
    )

    class Meta:
        verbose_name = gettext_lazy("use of a quota")
        verbose_name_plural = gettext_lazy("uses of quotas")
        constraints = [
            models.UniqueConstraint(
                fields=["phase", "participant", "kind", "period"], name="one_use_per_period"
            ),
            models.CheckConstraint(condition=Q(used__gte=0), name="uses_are_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.participant_id}: {self.used} ({self.kind} {self.period})"


class AccountUse(UseCounter):
    """How many attempts of an account, under all of its names, count towards one limit of a phase.

    The same as `QuotaUse`, for the user who submitted them. It is there if `limits_per` of the
    phase says so.
    """

    phase = models.ForeignKey(
        Phase,
        models.CASCADE,
        related_name="account_uses",
        db_index=False,
        verbose_name=gettext_lazy("phase"),
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="+",
        verbose_name=gettext_lazy("user"),
    )

    class Meta:
        verbose_name = gettext_lazy("use of a quota by an account")
        verbose_name_plural = gettext_lazy("uses of quotas by accounts")
        constraints = [
            models.UniqueConstraint(
                fields=["phase", "user", "kind", "period"], name="one_account_use_per_period"
            ),
            models.CheckConstraint(condition=Q(used__gte=0), name="account_uses_are_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.used} ({self.kind} {self.period})"


class Grant(models.Model):
    """Extra attempts in a phase, on top of each of its limits, for one participant or for all.

    A grant of one participant that ends after its phase opens the phase for it until then, also
    without extra attempts.
    """

    phase = models.ForeignKey(
        Phase,
        models.CASCADE,
        related_name="grants",
        db_index=False,
        verbose_name=gettext_lazy("phase"),
    )
    participant = models.ForeignKey(
        Participant,
        models.CASCADE,
        related_name="grants",
        null=True,
        help_text=gettext_lazy("Empty: all participants."),
        verbose_name=gettext_lazy("participant"),
    )
    extra = models.PositiveIntegerField(
        help_text=gettext_lazy("Attempts on top of each limit per day, per week and in total."),
        verbose_name=gettext_lazy("extra"),
    )
    until = models.DateTimeField(
        null=True,
        blank=True,
        help_text=gettext_lazy("The first moment at which it ends; empty: it does not end."),
        verbose_name=gettext_lazy("until"),
    )
    reason = models.CharField(max_length=300, verbose_name=gettext_lazy("reason"))
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        verbose_name=gettext_lazy("given by"),
    )
    given_at = models.DateTimeField(
        db_default=Now(), editable=False, verbose_name=gettext_lazy("given at")
    )

    class Meta:
        verbose_name = gettext_lazy("grant")
        verbose_name_plural = gettext_lazy("grants")
        ordering = ["-given_at", "-pk"]
        indexes = [models.Index(fields=["phase", "participant"], name="grants_of_one")]
        constraints = [
            models.CheckConstraint(
                condition=Q(extra__gte=1) | Q(until__isnull=False, participant__isnull=False),
                name="grants_give_attempts_or_time",
            )
        ]

    def __str__(self) -> str:
        return f"{self.participant_id}: {self.extra}"
