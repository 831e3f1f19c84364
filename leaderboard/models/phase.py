from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import models
from django.utils.translation import gettext_lazy

from leaderboard.models.challenge import Challenge
from leaderboard.models.from_schema import columns_of
from leaderboard.models.phase_checks import CHECKS
from leaderboard.rules.visibility.view import ViewSettings
from leaderboard.rules.visibility.withholding import Withholding
from leaderboard.schemas.phase_fields import PhaseFields

if TYPE_CHECKING:
    from datetime import datetime


DEFAULT_COUNTED = 3
"""How many attempts are chosen, or taken for a mean, where a phase does not say."""


@columns_of(PhaseFields)
class Phase(models.Model):
    """A period of a challenge, with its limits on attempts; `PhaseFields` has most columns.

    Every challenge has at least one phase. The default phase of a new challenge has neither dates
    nor limits, so it is always open. Dates are stored in UTC. `time_zone` is the zone in which
    organisers enter them, and in which the days and weeks of limits begin.
    """

    challenge = models.ForeignKey(
        Challenge,
        models.CASCADE,
        related_name="phases",
        db_index=False,
        verbose_name=gettext_lazy("challenge"),
    )
    position = models.PositiveSmallIntegerField(
        default=0,
        help_text=gettext_lazy("Its place among the phases of the challenge."),
        verbose_name=gettext_lazy("position"),
    )
    final_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text=gettext_lazy("When the computation of the final scores began."),
        verbose_name=gettext_lazy("final at"),
    )
    finals_wait_until = models.DateTimeField(
        null=True,
        editable=False,
        help_text=gettext_lazy(
            "Until when the final scores wait, so that a mistaken end can be taken back."
        ),
        verbose_name=gettext_lazy("finals wait until"),
    )
    has_late = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text=gettext_lazy("Whether an attempt was submitted after its end, by agreement."),
        verbose_name=gettext_lazy("has late attempts"),
    )
    advanced_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text=gettext_lazy("When its best attempts were moved into the next phase."),
        verbose_name=gettext_lazy("advanced at"),
    )
    advanced = models.PositiveIntegerField(
        null=True,
        editable=False,
        help_text=gettext_lazy("How many attempts were moved into the next phase."),
        verbose_name=gettext_lazy("advanced"),
    )

    opening_logged = models.DateTimeField(
        null=True,
        editable=False,
        help_text=gettext_lazy("The `opens_at` of which the log says that it has passed."),
        verbose_name=gettext_lazy("opening logged"),
    )
    closing_logged = models.DateTimeField(
        null=True,
        editable=False,
        help_text=gettext_lazy("The `closes_at` of which the log says that it has passed."),
        verbose_name=gettext_lazy("closing logged"),
    )

    slug: str
    name: str
    face: bool
    time_zone: str
    opens_at: datetime | None
    closes_at: datetime | None
    grace_seconds: int
    overlaps: bool
    freezes_at: datetime | None
    reveals_at: datetime | None
    own_while_frozen: bool
    per_day: int | None
    per_week: int | None
    per_month: int | None
    total: int | None
    at_once: int | None
    limits_per: str
    count_failed: bool
    file_mib: int | None
    counting: str
    counted: int | None
    choose_until: datetime | None
    least_coverage: float | None
    final_part: str
    board_visibility: str
    scores_visibility: str
    attempts_visibility: str
    names_visibility: str
    notes_visibility: str
    decimals: int | None
    least_improvement: float | None
    significant_improvement: bool
    scores_delayed: bool

    class Meta:
        verbose_name = gettext_lazy("phase")
        verbose_name_plural = gettext_lazy("phases")
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["challenge", "slug"], name="one_phase_of_a_challenge_per_slug"
            ),
            *CHECKS,
        ]

    def __str__(self) -> str:
        return self.name or self.slug

    def is_open(self, moment: datetime) -> bool:
        """Whether the moment belongs to the phase, which ends just before `closes_at`."""
        opened = self.opens_at is None or self.opens_at <= moment
        return opened and (self.closes_at is None or moment < self.closes_at)

    @property
    def ended_at(self) -> datetime | None:
        """The first moment at which it takes no more attempts: `closes_at` and the grace."""
        return self.closes_at and self.closes_at + timedelta(seconds=self.grace_seconds)

    def takes(self, moment: datetime) -> bool:
        """Whether it takes attempts that are received at a moment."""
        opened = self.opens_at is None or self.opens_at <= moment
        return opened and (self.ended_at is None or moment < self.ended_at)

    def has_ended(self, moment: datetime) -> bool:
        """Whether it takes no more attempts, because it is over."""
        return self.ended_at is not None and self.ended_at <= moment

    @property
    def number_counted(self) -> int:
        """How many attempts a participant may choose, or of how many the mean counts."""
        return self.counted or DEFAULT_COUNTED

    def may_choose(self, moment: datetime) -> bool:
        """Whether participants may choose their attempts at a moment."""
        end = self.choose_until or self.ended_at
        return end is None or moment < end

    def is_frozen(self, moment: datetime) -> bool:
        """Whether the public sees the board as it was when it froze."""
        if self.freezes_at is None or moment < self.freezes_at:
            return False
        return self.reveals_at is None or moment < self.reveals_at

    def finals_wait(self, moment: datetime) -> bool:
        """Whether the phase has ended, and can be opened again before its final scores are due."""
        until, is_over = self.finals_wait_until, self.has_ended(moment)
        return is_over and not self.is_frozen(moment) and until is not None and moment < until

    def hides(self, submitted_at: datetime, moment: datetime) -> bool:
        """Whether the freeze hides from the public, at a moment, what was submitted then."""
        is_late = self.freezes_at is not None and submitted_at >= self.freezes_at
        return is_late and self.is_frozen(moment)

    @property
    def view_settings(self) -> ViewSettings:
        """The settings of who sees what."""
        return ViewSettings(
            self.board_visibility,
            self.scores_visibility,
            self.attempts_visibility,
            self.names_visibility,
            self.notes_visibility,
        )

    @property
    def withheld(self) -> Withholding:
        """The settings that make scores less exact."""
        return Withholding(
            self.decimals, self.scores_delayed, self.least_coverage, self.least_improvement
        )

    @property
    def has_limits(self) -> bool:
        limits = (self.per_day, self.per_week, self.per_month, self.total, self.at_once)
        return any(limit is not None for limit in limits)
