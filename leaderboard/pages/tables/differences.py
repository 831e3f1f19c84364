"""Values and differences of a column as text; a difference of percentages is in points."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from django.utils.translation import gettext as _

from leaderboard.columns import Column
from leaderboard.columns.column import PERCENT, number
from leaderboard.languages.translation import number_text

MOST_DECIMALS: Final = 9


def value_writer(column: Column) -> Callable[[float], str]:
    """Formats a value as its column does; a small one has two digits."""

    def written(value: float) -> str:
        decimals = decimals_of(column, value)
        if decimals == column.decimals:
            return number_text(column.written(value))
        return number_text(column.with_decimals(value, decimals))

    return written


def difference_writer(column: Column) -> Callable[[float], str]:
    """Formats a difference of two values: `3.3 points` between 58.9% and 62.2%."""
    written = value_writer(column)
    if column.unit != PERCENT:
        return written

    def in_points(value: float) -> str:
        text = number(value * column.scale, decimals_of(column, value))
        return _("{number} points").format(number=number_text(text))

    return in_points


def decimals_of(column: Column, value: float) -> int:
    """The decimals of the column, or as many as two digits of a smaller value take."""
    scaled = float(f"{abs(value) * column.scale:.9g}")  # without the noise of a subtraction
    if not 0.0 < scaled < 0.5 * 10**-column.decimals:
        return column.decimals
    return min(MOST_DECIMALS, 1 - math.floor(math.log10(scaled)))
