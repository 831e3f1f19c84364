"""Bars of a few values beside each other, from 0 to the largest value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from leaderboard.pages.charts.coordinates import written

WIDTH: Final = 72
HEIGHT: Final = 6


def shares_of(values: Sequence[float | None]) -> list[float | None]:
    """Each value as a share of the largest one, from 0 to 1; None for None.

    Lengths of bars compare values by their ratio, so there are no shares if a value is negative,
    and none if all are 0.
    """
    defined = [value for value in values if value is not None]
    largest = max(defined, default=0.0)
    if largest <= 0.0 or min(defined) < 0.0 or not math.isfinite(largest):
        return [None] * len(values)
    return [None if value is None else value / largest for value in values]


def bar(share: float | None) -> SafeString | str:
    """The picture of a share, to be hidden from screen readers: its number stands beside it."""
    if share is None:
        return ""
    return format_html(
        '<svg class="bar" viewBox="0 0 {} {}" width="{}" height="{}" aria-hidden="true">'
        '<rect class="track" width="{}" height="{}" rx="1"/>'
        '<rect width="{}" height="{}" rx="1"/></svg>',
        *(WIDTH, HEIGHT) * 3,
        written(max(share * WIDTH, 1.0)),
        HEIGHT,
    )
