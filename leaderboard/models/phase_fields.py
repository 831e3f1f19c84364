"""Fields of phases that have the same form, and what the database checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy

from leaderboard.models.choices import choices_of

if TYPE_CHECKING:
    from enum import StrEnum

    from django.utils.functional import _StrPromise as StrPromise


MOST_DECIMALS = 10
MOST_GRACE = 3600


def limit_field(
    name: StrPromise, help_text: StrPromise
) -> models.PositiveIntegerField[int | None, int | None]:
    return models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=help_text,
        verbose_name=name,
    )


def grace_field() -> models.PositiveSmallIntegerField[int, int]:
    return models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        validators=[MaxValueValidator(MOST_GRACE)],
        help_text=gettext_lazy("Seconds after it closes in which attempts may still arrive."),
        verbose_name=gettext_lazy("grace in seconds"),
    )


def visibility_field(
    kind: type[StrEnum], name: StrPromise, help_text: StrPromise
) -> models.CharField[str, str]:
    """Who sees something of a phase; the first value of `kind` hides nothing."""
    first = next(iter(kind)).value
    return models.CharField(
        max_length=12,
        choices=choices_of(kind),
        default=first,
        db_default=first,
        help_text=help_text,
        verbose_name=name,
    )


CHECKS: Final = (
    models.CheckConstraint(
        condition=Q(opens_at__isnull=True)
        | Q(closes_at__isnull=True)
        | Q(opens_at__lt=F("closes_at")),
        name="phases_open_before_they_close",
    ),
    models.CheckConstraint(
        condition=Q(reveals_at__isnull=True) | Q(freezes_at__lt=F("reveals_at")),
        name="phases_freeze_before_they_are_revealed",
    ),
    models.CheckConstraint(
        condition=Q(decimals__isnull=True) | Q(decimals__lte=MOST_DECIMALS),
        name="phases_round_to_few_decimals",
    ),
    models.CheckConstraint(
        condition=Q(least_coverage__isnull=True) | Q(least_coverage__gte=0, least_coverage__lte=1),
        name="phases_need_a_share_of_the_tasks",
    ),
    models.CheckConstraint(
        condition=Q(least_improvement__isnull=True) | Q(least_improvement__gt=0),
        name="phases_need_an_improvement",
    ),
    *(
        models.CheckConstraint(
            condition=Q(**{f"{name}__isnull": True}) | Q(**{f"{name}__gte": 1}),
            name=f"phase_limit_{name}",
        )
        for name in ("per_day", "per_week", "total", "at_once")
    ),
)
"""What the database checks of a phase."""
