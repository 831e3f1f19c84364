import math
from typing import Final

from leaderboard.columns.column import Column, number
from leaderboard.columns.fact import fact_column
from leaderboard.facts import get_fact

MOST_DECIMALS: Final = 12


class Dollars(Column):
    """US dollars with the sign in front: `$0.0400`; a small cost keeps two digits: `$0.000012`."""

    __slots__ = ()

    def written(self, value: float) -> str:
        return self.with_decimals(value, _digits(value, self.decimals))

    def with_decimals(self, value: float, decimals: int) -> str:
        return f"${number(value, decimals)}"


def _digits(value: float, decimals: int) -> int:
    """So many decimals, or those of two digits if rounding would change a number by a twentieth."""
    if abs(round(value, decimals) - value) <= 0.05 * abs(value):
        return decimals
    return min(MOST_DECIMALS, 1 - math.floor(math.log10(abs(value))))


COLUMN = fact_column(get_fact("cost_usd"), Dollars)
