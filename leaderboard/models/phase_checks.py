"""What the database checks of a phase."""

from __future__ import annotations

from typing import Final

from django.db import models
from django.db.models import F, Q

from leaderboard.schemas.phase_fields import MOST_DECIMALS

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
        for name in ("per_day", "per_week", "per_month", "total", "at_once", "file_mib")
    ),
)
"""What the database checks of a phase."""
