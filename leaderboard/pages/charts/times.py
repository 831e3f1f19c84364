"""Scales of time: ticks at the beginnings of seconds, minutes, days, months or years (UTC)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from django.utils import dateformat
from django.utils.translation import gettext as _

from leaderboard.pages.charts.scales import AxisScale

MINUTE: Final = 60.0
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
WEEK: Final = 7 * DAY
STEPS: Final = (
    *(1.0, 5.0, 15.0, 30.0),
    *(minutes * MINUTE for minutes in (1, 5, 15, 30)),
    *(hours * HOUR for hours in (1, 3, 6, 12)),
    *(days * DAY for days in (1, 2, 7, 14)),
)
"""The distances of ticks that are all the same, in seconds; longer ones are months and years."""
MONTHS: Final = (1, 3, 6, 12, 24, 60, 120, 600, 1200)
MONTH: Final = 30.4 * DAY
MONDAY: Final = 4 * DAY
"""From 1 January 1970, a Thursday, to a Monday."""
PADDING: Final = 0.03
"""The share of the axis that stays empty at each end."""


def time_scale_of(moments: Sequence[float], start: float, end: float, most: int = 6) -> AxisScale:
    """A scale that contains all moments, in seconds since 1970. most: how many ticks fit."""
    low, high = min(moments, default=0.0), max(moments, default=0.0)
    room = PADDING * (high - low) or 5 * MINUTE
    low, high = low - room, high + room
    return AxisScale(low, high, start, end, False, tuple(_ticks(low, high, most)) or (low, high))


def time_texts(scale: AxisScale) -> list[str]:
    """The texts of a scale's ticks: `09:30:05`, `09:30`, `3 Nov`, `Nov 2026` or `2026`."""
    apart = scale.ticks[-1] - scale.ticks[0] if len(scale.ticks) > 1 else 0.0
    step = apart / max(1, len(scale.ticks) - 1)
    return [_text(datetime.fromtimestamp(tick, UTC), step) for tick in scale.ticks]


def _ticks(low: float, high: float, most: int) -> Iterator[float]:
    least = (high - low) / most
    step = next((seconds for seconds in STEPS if seconds >= least), None)
    if step is None:
        yield from _months(low, high, least)
        return
    offset = MONDAY if step % WEEK == 0 else 0.0
    first, last = math.ceil((low - offset) / step), math.floor((high - offset) / step)
    yield from (offset + step * number for number in range(first, last + 1))


def _months(low: float, high: float, least: float) -> Iterator[float]:
    step = next((months for months in MONTHS if months * MONTH >= least), MONTHS[-1])
    first = datetime.fromtimestamp(low, UTC)
    month = (12 * first.year + first.month - 1) // step * step
    while (moment := _start_of(month).timestamp()) <= high:
        if moment >= low:
            yield moment
        month += step


def _start_of(month: int) -> datetime:
    return datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC)


def _text(moment: datetime, step: float) -> str:
    if step >= 11 * MONTH:
        return dateformat.format(moment, "Y")
    if step >= 0.9 * MONTH:
        return dateformat.format(moment, "M Y")
    is_midnight = not (moment.hour or moment.minute or moment.second)
    if step >= DAY or is_midnight:
        # Translators: a day without its year on the axis of a chart, in Django's date format.
        return dateformat.format(moment, _("j M"))
    return dateformat.format(moment, "H:i" if step >= MINUTE else "H:i:s")
