"""What a column is: one shown value per standing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from leaderboard.rules.reductions import Level
from leaderboard.rules.sortkey import Direction

NOTHING = "–"

Over = Literal["task", "instance", "value"]


@dataclass(frozen=True, slots=True)
class Column:
    """One value per standing: where it is found, how it is called and how it is written.

    `direction` is the better end of it and `description` one line for its tooltip. `place` puts
    it among the facts that every board shows beside its ranking; a column without a place is
    shown where a challenge ranks by it or names it.
    """

    key: str
    label: str
    direction: Direction
    unit: str = ""
    decimals: int = 2
    description: str = ""
    place: int | None = None
    unit_is_fixed: bool = False
    """Whether the key itself says the unit, so that a challenge cannot say another."""
    ranked: bool = False
    """Whether this board ranks by it."""
    level: Level = "computed"
    """Of its values: computed here, or reported by participants; of a metric's, unless a cell
    says otherwise."""
    over: Over = "task"
    """What the value of a metric is taken over."""

    def value(self, values: Mapping[str, float | None]) -> float | None:
        """The value among those that a standing stores, in `unit`; None: there is none."""
        return values.get(self.key)

    def text(self, value: float | None) -> str:
        """The value as pages write it, `–` for None."""
        return NOTHING if value is None else self.written(value)

    def written(self, value: float) -> str:
        """A number with thousands separators and its unit: `1,234.50`, `66.2%`, `12.0 kg`."""
        space = "" if self.unit in ("", "%") else " "
        return f"{number(value, self.decimals)}{space}{self.unit}"


def number(value: float, decimals: int) -> str:
    """`1,234.50`; a value that rounds to zero has no minus sign."""
    return f"{value:z,.{decimals}f}"
