"""The labels of ticks: like the cells of their column, and as precise as their distance needs."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Final

from leaderboard.columns import Column
from leaderboard.languages.translation import MINUS, number_text
from leaderboard.pages.charts.scales import AxisScale

SUFFIXES: Final = ((1e12, "T"), (1e9, "G"), (1e6, "M"))
"""Numbers from the first one on are written in units of the suffix."""
LONGEST_UNIT: Final = 4
"""A longer unit would take the room of a chart; the title of the axis has it instead."""
_SHORT: Final = 1e15
_LAST_DIGIT: Final = re.compile(r"\d(?=\D*$)")
_ZERO: Final = "0"


def has_short_unit(column: Column) -> bool:
    """Whether the ticks of the column's axis have its unit."""
    return len(_frame(column)) - len(_ZERO) <= LONGEST_UNIT


def tick_texts(scale: AxisScale, column: Column) -> list[str]:
    """The texts of a scale's ticks in the reader's number format: `$0.25`, `80.0%`, `1.5M`.

    column: its unit is that of the scale; its decimals are the fewest that a tick has.
    """
    if not has_short_unit(column):
        column = replace(column, unit="")
    if scale.is_log:
        return [_text(tick, tick, column) for tick in scale.ticks]
    largest, step = max(map(abs, scale.ticks)), scale.ticks[1] - scale.ticks[0]
    return [_text(tick, largest, column, step) for tick in scale.ticks]


def _frame(column: Column) -> str:
    """What stands around a number of the column: `$0`, `0%`, `0 kg`."""
    return column.with_decimals(0.0, 0)


def _unit(number: float) -> tuple[float, str]:
    """The unit in which a number is written, and its suffix."""
    for least, suffix in SUFFIXES:
        if least <= abs(number) < _SHORT:
            return least, suffix
    return 1.0, ""


def _decimals(number: float, least: int) -> int | None:
    """Enough decimals for a number, at least so many; None if it took more than nine."""
    counts = range(10)
    exact = (count for count in counts if math.isclose(number, round(number, count), rel_tol=1e-6))
    count = next(exact, None)
    return None if count is None else max(count, least)


def _text(number: float, largest: float, column: Column, step: float | None = None) -> str:
    """largest: of the numbers that are written in one unit. step: between them; None: no others."""
    size, suffix = _unit(largest)
    value = number / size
    exact = value if step is None else step / size
    decimals = _decimals(exact, 0 if suffix else column.decimals)
    if value == 0.0 and suffix:
        suffix, decimals = "", 0
    is_short = decimals is None or abs(value) >= _SHORT
    digits = f"{value:.6g}" if is_short else f"{value:z,.{decimals}f}"
    text = number_text(_frame(column).replace(_ZERO, digits, 1)).replace("e-", f"e{MINUS}")
    return _LAST_DIGIT.sub(rf"\g<0>{suffix}", text) if suffix else text
