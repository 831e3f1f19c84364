"""A column of a board: one value of each standing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from leaderboard.rules.rewards.reductions import Level
from leaderboard.rules.sortkey import Direction

NOTHING = "–"
PERCENT: Final = "%"
LARGEST_IN_FULL: Final = 10**15
"""Larger numbers are written with an exponent, since a float has no more digits."""

Over = Literal["task", "instance", "value"]


@dataclass(frozen=True, slots=True)
class Column:
    """One value of each standing: its key, its label and its format.

    `direction` is its better end and `description` one line for its tooltip. `place` is its
    position among the facts that every board shows beside its ranking; a column without a place is
    shown only if a challenge ranks by it or names it.
    """

    key: str
    label: str
    direction: Direction
    unit: str = ""
    decimals: int = 2
    description: str = ""
    place: int | None = None
    unit_is_fixed: bool = False
    """Whether the key implies the unit, so that a challenge cannot set another."""
    ranked: bool = False
    """Whether this board ranks by it."""
    level: Level = "computed"
    """Whether its values are computed here or reported by participants. A cell of a metric may
    differ."""
    over: Over = "task"
    """What the value of a metric is computed over."""
    is_share: bool = False
    """Whether its values are declared to be shares from 0 to 1, which `%` shows as 0 to 100."""
    is_kept: bool = True
    """Whether boards keep its values, so that they sort by it and filter rows that have one."""

    @property
    def scale(self) -> float:
        """The factor from a value to the number that stands before the unit."""
        return 100.0 if self.is_share and self.unit == PERCENT else 1.0

    def value(self, values: Mapping[str, float | None]) -> float | None:
        """The column's value among those of a standing, in `unit`; None if there is none."""
        return values.get(self.key)

    def text(self, value: float | None) -> str:
        """The value as pages show it, `–` for None."""
        return NOTHING if value is None else self.written(value)

    def written(self, value: float) -> str:
        """A number with thousands separators and its unit: `1,234.50`, `66.2%`, `12.0 kg`."""
        return self.with_decimals(value, self.decimals)

    def with_decimals(self, value: float, decimals: int) -> str:
        """A number with its unit and so many decimals, whatever the column says."""
        space = "" if self.unit in ("", PERCENT) else " "
        return f"{number(value * self.scale, decimals)}{space}{self.unit}"


def number(value: float, decimals: int) -> str:
    """`1,234.50`, above 10^15 `1.7e+308`; a value that rounds to zero has no minus sign."""
    if abs(value) > LARGEST_IN_FULL:
        return f"{value:.6g}".replace("inf", "∞")  # the difference of two such values
    return f"{value:z,.{decimals}f}"
