"""Scales: the place of a value on an axis, and the ticks that label it."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

MULTIPLES: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
"""A step of a linear scale is one of these times a power of ten."""
LOG_TICKS: Final = ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), tuple(map(float, range(1, 10))))
"""The multiples of powers of ten that may label a logarithmic scale, from few to many."""
PADDING: Final = 0.05
"""The share of a logarithmic scale that stays empty at each end."""
_LARGEST: Final = 1e300
"""Larger numbers have no ticks but the two ends, because sums of them would overflow."""
_GREATEST: Final = sys.float_info.max
_LEAST: Final = 1e-300
"""Smaller numbers are drawn as zero: a tenth of one may be no number any more."""
_SAME: Final = 1e-12


class AxisScale(NamedTuple):
    """The interval `low` to `high` of values, drawn from `start` to `end`.

    start is larger than end on a vertical axis. The values of a logarithmic scale are positive.
    """

    low: float
    high: float
    start: float
    end: float
    is_log: bool
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """The coordinate of a value; values outside the scale are drawn at its nearer end."""
        low, high = self.low, self.high
        inside = min(max(value, low), high)
        if self.is_log:
            low, high, inside = math.log10(low), math.log10(high), math.log10(inside)
        share = (inside / 2 - low / 2) / (high / 2 - low / 2)
        return self.start + share * (self.end - self.start)


def scale_of(
    values: Iterable[float], start: float, end: float, *, is_log: bool = False, most: int = 6
) -> AxisScale:
    """A scale that contains all values. most: about how many ticks there is room for.

    values: finite; those that are not positive are left out of a logarithmic scale.
    """
    positive = [value for value in values if value > 0.0] if is_log else list(values)
    if is_log:
        return _logarithmic(positive or [1.0], start, end, most)
    return _linear(positive or [0.0], start, end, most)


def _linear(values: Sequence[float], start: float, end: float, most: int) -> AxisScale:
    low, high = _apart(min(values), max(values))
    if max(abs(low), abs(high)) > _LARGEST:
        return AxisScale(low, high, start, end, False, (low, high))
    step = nice_step((high - low) / most)
    first, last = math.floor(low / step + _SAME), math.ceil(high / step - _SAME)
    if last - first > 3 * most:  # The values are equal to the precision of floats.
        return AxisScale(low, high, start, end, False, (low, high))
    ticks = tuple(step * number for number in range(first, last + 1))
    return AxisScale(min(ticks[0], low), max(ticks[-1], high), start, end, False, ticks)


def nice_step(least: float) -> float:
    """The smallest round number of at least `least`, which is positive."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(
        power * multiple for multiple in MULTIPLES if power * multiple >= least * (1.0 - _SAME)
    )


def _apart(low: float, high: float) -> tuple[float, float]:
    """The two ends, moved apart if they are nearly equal; zeros stand at the lower end."""
    largest = max(abs(low), abs(high))
    if high / 2 - low / 2 > _SAME * largest and high / 2 - low / 2 > _LEAST:
        return low, high
    if largest < _LEAST:
        return 0.0, 1.0
    reach = 0.1 * largest
    return max(low - reach, -_GREATEST), min(high + reach, _GREATEST)


def _logarithmic(values: Sequence[float], start: float, end: float, most: int) -> AxisScale:
    low, high = math.log10(min(values)), math.log10(max(values))
    if high - low <= _SAME:
        low, high = low - 0.3, high + 0.3
    room = PADDING * (high - low)
    # Both ends can be written with a power of ten, and stay apart where all values are beyond.
    low = min(max(low - room, -307.0), 307.0)
    high = max(min(high + room, 308.0), low + 0.6)
    low, high = 10.0**low, 10.0**high
    return AxisScale(low, high, start, end, True, _log_ticks(low, high, most))


def _log_ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    """Multiples of powers of ten between two numbers: as many as there is room for."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    apart = max(1, math.ceil((last - first) / most))
    powers = range(first, last + 1, apart)
    chosen: tuple[float, ...] = ()
    for multiples in LOG_TICKS:
        ticks = (multiple * 10.0**power for power in powers for multiple in multiples)
        inside = tuple(tick for tick in ticks if low <= tick <= high)
        if len(inside) > most and chosen:
            break
        chosen = inside
    return chosen or (low, high)
