"""A value with its interval: a dot and a line on a scale that all rows of a table share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

WIDTH: Final = 80
HEIGHT: Final = 14
_EDGE: Final = 4
_MIDDLE: Final = HEIGHT / 2
_CAP: Final = 3


class Scale(NamedTuple):
    """A linear scale from `low` at the left to `high` at the right. leader: the value of the line
    through all rows; None for no line."""

    low: float
    high: float
    leader: float | None = None

    def x(self, value: float) -> float:
        """Where a value is, in units of the picture; a value outside is at the edge."""
        share = (value - self.low) / (self.high - self.low)
        return _EDGE + min(max(share, 0.0), 1.0) * (WIDTH - 2 * _EDGE)


def scale_of(
    values: Iterable[float], intervals: Iterable[Sequence[float]], leader: float | None = None
) -> Scale | None:
    """The scale from the lowest to the highest number; None without any interval.

    If all values are from 0 to 1 and differ by at least 0.5, the scale goes from 0 to 1.
    """
    ends = [end for interval in intervals for end in interval]
    if not ends:
        return None
    numbers = [*values, *ends]
    low, high = min(numbers), max(numbers)
    if low >= 0.0 and high - low >= 0.5 and high <= 1.0:
        return Scale(0.0, 1.0, leader)
    room = (high - low) * 0.02 or abs(high) * 0.5 or 1.0
    return Scale(low - room, high + room, leader)


def interval_chart(scale: Scale, value: float, interval: Sequence[float] | None) -> SafeString:
    """The picture of one row, to be hidden from screen readers: its numbers stand beside it.

    interval: from, to. A value without one is an empty dot.
    """
    return format_html(
        '<svg class="interval" viewBox="0 0 {} {}" width="{}" height="{}" aria-hidden="true">'
        '<path class="track" d="M{} {}H{}"/>{}{}{}</svg>',
        WIDTH,
        HEIGHT,
        WIDTH,
        HEIGHT,
        _EDGE,
        _number(_MIDDLE),
        WIDTH - _EDGE,
        _line(scale),
        _whisker(scale, interval) if interval else "",
        format_html(
            '<circle class="{}" cx="{}" cy="{}" r="3"/>',
            "dot" if interval else "ring",
            _number(scale.x(value)),
            _number(_MIDDLE),
        ),
    )


def _line(scale: Scale) -> SafeString:
    """The line of the leader."""
    if scale.leader is None:
        return mark_safe("")
    return format_html(
        '<path class="leader" d="M{} 0v{}"/>', _number(scale.x(scale.leader)), HEIGHT
    )


def _whisker(scale: Scale, interval: Sequence[float]) -> SafeString:
    low, high = scale.x(interval[0]), scale.x(interval[1])
    top = _number(_MIDDLE - _CAP)
    return format_html(
        '<path class="whisker" d="M{low} {top}v{cap}M{low} {middle}H{high}M{high} {top}v{cap}"/>',
        low=_number(low),
        high=_number(high),
        top=top,
        middle=_number(_MIDDLE),
        cap=2 * _CAP,
    )


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
