"""The terms of a score as bars that begin where the last one ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from leaderboard.pages.charts.coordinates import written

WIDTH: Final = 160.0
HEIGHT: Final = 20.0
_EDGE: Final = 3.0
_BAR: Final = 9.0
_LEAST: Final = 1.5
"""The width of a bar whose term is small."""


class Steps(NamedTuple):
    """The bars of a score. terms: one for each; returned: the sum; clamp: what was added to it or
    taken away by the limits of scores, "" for nothing; score: what counts."""

    terms: list[SafeString]
    returned: SafeString
    clamp: SafeString
    score: SafeString


class _Scale(NamedTuple):
    low: float
    high: float

    def x(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return _EDGE + share * (WIDTH - 2 * _EDGE)


def waterfall(amounts: Sequence[float], returned: float, score: float) -> Steps:
    """Draw a score. amounts: the signed terms, which add up to what the scorer returned."""
    ends = list(_sums(amounts))
    numbers = [0.0, *ends, returned, score]
    scale = _Scale(min(numbers), max(numbers))
    if scale.low == scale.high:
        scale = _Scale(scale.low - 1.0, scale.high + 1.0)
    starts = [0.0, *ends[:-1]]
    return Steps(
        terms=[
            _bar(scale, start, end, "minus" if end < start else "plus")
            for start, end in zip(starts, ends, strict=True)
        ],
        returned=_bar(scale, 0.0, returned, "sum", joins=False),
        clamp=_bar(scale, returned, score, "clamp") if score != returned else mark_safe(""),
        score=_bar(scale, 0.0, score, "total", joins=False),
    )


def _sums(amounts: Iterable[float]) -> Iterable[float]:
    total = 0.0
    for amount in amounts:
        total += amount
        yield total


def _bar(scale: _Scale, start: float, end: float, name: str, *, joins: bool = True) -> SafeString:
    """A bar from one value to another, on the line of zero. joins: to the bars around it."""
    left, right = sorted((scale.x(start), scale.x(end)))
    top = (HEIGHT - _BAR) / 2
    joint = format_html(
        '<path class="joint" d="M{} 0V{}M{} {}V{}"/>',
        written(scale.x(start)),
        written(top),
        written(scale.x(end)),
        written(top + _BAR),
        written(HEIGHT),
    )
    return format_html(
        '<svg class="waterfall" viewBox="0 0 {} {}" width="{}" height="{}" aria-hidden="true"'
        ' direction="ltr"><path class="zero" d="M{} 0V{}"/>{}'
        '<rect class="{}" x="{}" y="{}" width="{}" height="{}"/></svg>',
        written(WIDTH),
        written(HEIGHT),
        written(WIDTH),
        written(HEIGHT),
        written(scale.x(0.0)),
        written(HEIGHT),
        joint if joins else "",
        name,
        written(left),
        written(top),
        written(max(_LEAST, right - left)),
        written(_BAR),
    )
