from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy

from leaderboard.models.challenge import Challenge
from leaderboard.models.choices import choices_of
from leaderboard.models.phase_fields import (
    CHECKS,
    MOST_DECIMALS,
    grace_field,
    limit_field,
    visibility_field,
)
from leaderboard.rules.rewards.splits import TaskPart
from leaderboard.rules.visibility.view import ViewSettings
from leaderboard.rules.visibility.withholding import Withholding
from leaderboard.schemas.choices import (
    AttemptsVisibility,
    BoardVisibility,
    Counting,
    LimitsPer,
    NamesVisibility,
    NotesVisibility,
    ScoresVisibility,
)

if TYPE_CHECKING:
    from datetime import datetime


DEFAULT_COUNTED = 3
"""How many attempts are chosen, or taken for a mean, where a phase does not say."""
MAIN = "main"
"""The slug of the phase that a challenge has when its organisers declare none."""


class Phase(models.Model):
    """A period of a challenge, with its limits on attempts.

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
    slug = models.SlugField(max_length=80, default=MAIN, verbose_name=gettext_lazy("slug"))
    name = models.CharField(max_length=120, blank=True, verbose_name=gettext_lazy("name"))
    position = models.PositiveSmallIntegerField(
        default=0,
        help_text=gettext_lazy("Its place among the phases of the challenge."),
        verbose_name=gettext_lazy("position"),
    )
    opens_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text=gettext_lazy("The first moment that belongs to it; empty: it was always open."),
        verbose_name=gettext_lazy("opens at"),
    )
    closes_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text=gettext_lazy("The first moment after it; empty: it never closes."),
        verbose_name=gettext_lazy("closes at"),
    )
    grace_seconds = grace_field()
    time_zone = models.CharField(
        max_length=64, default="UTC", verbose_name=gettext_lazy("time zone")
    )
    per_day = limit_field(
        gettext_lazy("per day"), gettext_lazy("Attempts of a participant on a calendar day.")
    )
    per_week = limit_field(
        gettext_lazy("per week"),
        gettext_lazy("Attempts of a participant in a week, from Monday to Sunday."),
    )
    total = limit_field(
        gettext_lazy("total"), gettext_lazy("Attempts of a participant in the whole phase.")
    )
    at_once = limit_field(
        gettext_lazy("at once"), gettext_lazy("Attempts of a participant that wait to be scored.")
    )
    count_failed = models.BooleanField(
        default=True,
        help_text=gettext_lazy("Whether attempts that fail count towards the limits."),
        verbose_name=gettext_lazy("count failed"),
    )
    limits_per = models.CharField(
        max_length=7,
        choices=choices_of(LimitsPer),
        default=LimitsPer.ACCOUNT.value,
        db_default=LimitsPer.ACCOUNT.value,
        help_text=gettext_lazy("For whom the limits count."),
        verbose_name=gettext_lazy("limits per"),
    )
    board_visibility = visibility_field(
        BoardVisibility, gettext_lazy("board visibility"), gettext_lazy("Who sees the board.")
    )
    scores_visibility = visibility_field(
        ScoresVisibility,
        gettext_lazy("scores visibility"),
        gettext_lazy("Whose scores readers see."),
    )
    attempts_visibility = visibility_field(
        AttemptsVisibility,
        gettext_lazy("attempts visibility"),
        gettext_lazy("Whose attempts readers can open."),
    )
    names_visibility = visibility_field(
        NamesVisibility,
        gettext_lazy("names visibility"),
        gettext_lazy("Whether participants are named before the end."),
    )
    notes_visibility = visibility_field(
        NotesVisibility,
        gettext_lazy("notes visibility"),
        gettext_lazy("Who sees the notes and the meta of attempts."),
    )

    counting = models.CharField(
        max_length=6,
        blank=True,
        choices=choices_of(Counting),
        default="",
        db_default="",
        help_text=gettext_lazy(
            "Which attempts count; empty: as the scoring of the challenge says."
        ),
        verbose_name=gettext_lazy("counting"),
    )
    counted = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text=gettext_lazy(
            "How many attempts a participant may choose, or of how many the mean counts."
        ),
        verbose_name=gettext_lazy("counted"),
    )
    choose_until = models.DateTimeField(
        null=True,
        blank=True,
        help_text=gettext_lazy(
            "Until when participants choose attempts; empty: until the phase closes."
        ),
        verbose_name=gettext_lazy("choose until"),
    )
    freezes_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text=gettext_lazy("From then on, the public sees the board of the attempts before."),
        verbose_name=gettext_lazy("freezes at"),
    )
    reveals_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text=gettext_lazy("When a frozen board ends; empty: when organisers reveal it."),
        verbose_name=gettext_lazy("reveals at"),
    )
    own_while_frozen = models.BooleanField(
        default=True,
        db_default=True,
        help_text=gettext_lazy("Whether participants see their own results of a frozen board."),
        verbose_name=gettext_lazy("own while frozen"),
    )

    decimals = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MaxValueValidator(MOST_DECIMALS)],
        help_text=gettext_lazy("Digits after the point of shown scores; empty: exact scores."),
        verbose_name=gettext_lazy("decimals"),
    )
    least_improvement = models.FloatField(
        null=True,
        blank=True,
        help_text=gettext_lazy(
            "By how much an attempt has to improve the score that counts; empty: any improvement."
        ),
        verbose_name=gettext_lazy("least improvement"),
    )
    scores_delayed = models.BooleanField(
        default=False,
        db_default=False,
        help_text=gettext_lazy("Whether scores are hidden until the phase has ended."),
        verbose_name=gettext_lazy("scores delayed"),
    )
    least_coverage = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text=gettext_lazy("The share of the tasks that an attempt with a score covers."),
        verbose_name=gettext_lazy("least coverage"),
    )

    final_part = models.CharField(
        max_length=7,
        choices=choices_of(TaskPart),
        default=TaskPart.PRIVATE.value,
        db_default=TaskPart.PRIVATE.value,
        help_text=gettext_lazy(
            "The tasks that count at the end, where some tasks of the challenge are private."
        ),
        verbose_name=gettext_lazy("final part"),
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

    overlaps = models.BooleanField(
        default=False,
        db_default=False,
        help_text=gettext_lazy("Whether other phases may be open at the same time."),
        verbose_name=gettext_lazy("overlaps"),
    )
    face = models.BooleanField(
        default=False,
        db_default=False,
        help_text=gettext_lazy("Whether the challenge shows this phase where none is named."),
        verbose_name=gettext_lazy("face"),
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
        limits = (self.per_day, self.per_week, self.total, self.at_once)
        return any(limit is not None for limit in limits)
