"""The labels of ticks: short numbers, as precise as their distance needs."""

from __future__ import annotations

import math
from typing import Final

from leaderboard.languages.translation import number_text
from leaderboard.pages.charts.scales import AxisScale

SUFFIXES: Final = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k"))
"""Numbers from the first one on are written in units of the suffix; `k` means 1,000."""
_SHORT: Final = 1e15
_MINUS: Final = "\N{MINUS SIGN}"


def tick_texts(scale: AxisScale) -> list[str]:
    """The texts of a scale's ticks in the reader's number format: `0.25`, `20k`, `1.5M`."""
    if scale.is_log:
        return [_text(tick, _unit(tick), None) for tick in scale.ticks]
    unit = _unit(max(map(abs, scale.ticks)))
    step = scale.ticks[1] - scale.ticks[0]
    return [_text(tick, unit, _decimals(step / unit[0])) for tick in scale.ticks]


def _unit(number: float) -> tuple[float, str]:
    """The unit in which a number is written, and its suffix."""
    for least, suffix in SUFFIXES:
        if least <= abs(number) < _SHORT:
            return (1e3 if suffix == "k" else least), suffix
    return 1.0, ""


def _decimals(step: float) -> int | None:
    """How many decimals show every multiple of a step; None if more than nine would."""
    exact = (count for count in range(10) if math.isclose(step, round(step, count), rel_tol=1e-6))
    return next(exact, None)


def _text(number: float, unit: tuple[float, str], decimals: int | None) -> str:
    if number == 0.0:
        return "0"
    size, suffix = unit
    value = number / size
    is_short = decimals is None or abs(value) >= _SHORT
    text = f"{value:.6g}" if is_short else f"{value:z,.{decimals}f}"
    return number_text(text.replace("-", _MINUS)) + suffix
