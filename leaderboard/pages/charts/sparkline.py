"""A few values over time as a small line, for the cell of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from leaderboard.pages.charts.coordinates import written

WIDTH: Final = 44.0
HEIGHT: Final = 14.0
_EDGE: Final = 2.5


def sparkline(course: Sequence[int]) -> SafeString:
    """The line of a course, with a dot at the newest value; hidden from screen readers.

    course: percentages of the range of the values, at least two.
    """
    across = (WIDTH - 2 * _EDGE) / (len(course) - 1)
    places = [
        (_EDGE + across * at, _EDGE + (HEIGHT - 2 * _EDGE) * (1 - value / 100))
        for at, value in enumerate(course)
    ]
    points = " ".join(f"{written(x)},{written(y)}" for x, y in places)
    x, y = places[-1]
    return format_html(
        '<svg class="spark" viewBox="0 0 {w} {h}" width="{w}" height="{h}" aria-hidden="true"'
        ' direction="ltr"><polyline points="{points}"/><circle cx="{x}" cy="{y}" r="2"/></svg>',
        w=written(WIDTH),
        h=written(HEIGHT),
        points=points,
        x=written(x),
        y=written(y),
    )
