"""The area of a chart, its axes and their ticks."""

from __future__ import annotations

from typing import Final, NamedTuple

from leaderboard.pages.charts.coordinates import written
from leaderboard.pages.charts.label_places import FONT, width_of
from leaderboard.pages.charts.scales import AxisScale


class Size(NamedTuple):
    """The size of a drawing in units, and how many ticks its axes have room for.

    top, bottom: the space above and below the area of values.
    """

    name: str
    width: float
    height: float
    across: int
    up: int
    top: float = 30.0
    bottom: float = 46.0


WIDE: Final = Size("wide", 960.0, 460.0, 8, 6)
NARROW: Final = Size("narrow", 380.0, 360.0, 4, 5)
"""Two drawings of one chart: texts of a wide one would be too small on a phone."""
SMALL: Final = Size("small", 300.0, 112.0, 3, 3, top=12.0, bottom=20.0)
"""Without the titles of its axes, which stand above it."""
SIZES: Final = (WIDE, NARROW)

RIGHT: Final = 14.0
LEAST_LEFT: Final = 30.0


class Tick(NamedTuple):
    """A tick: its coordinate on the axis, and its text."""

    at: str
    text: str


class Area(NamedTuple):
    """The rectangle of a chart in which values are drawn, as coordinates."""

    left: float
    top: float
    right: float
    bottom: float


class Drawn(NamedTuple):
    """An area and its size as texts, for templates."""

    name: str
    view_box: str
    width: str
    height: str
    left: str
    top: str
    right: str
    bottom: str
    middle: str
    below_ticks: str
    below_axis: str
    beside: str


def area_of(size: Size, labels: list[str]) -> Area:
    """The area of a chart. labels: those of the vertical axis, which stand to its left."""
    widest = max(map(width_of, labels), default=0.0)
    left = max(LEAST_LEFT, widest + 12.0)
    return Area(left, size.top, size.width - RIGHT, size.height - size.bottom)


def drawn(size: Size, area: Area) -> Drawn:
    """The coordinates of a chart's axes and of the texts beside them."""
    return Drawn(
        name=size.name,
        view_box=f"0 0 {written(size.width)} {written(size.height)}",
        width=written(size.width),
        height=written(size.height),
        left=written(area.left),
        top=written(area.top),
        right=written(area.right),
        bottom=written(area.bottom),
        middle=written((area.left + area.right) / 2),
        below_ticks=written(area.bottom + 1.4 * FONT),
        below_axis=written(size.height - 6.0),
        beside=written(area.left - 8.0),
    )


def ticks_of(scale: AxisScale, texts: list[str]) -> list[Tick]:
    """The ticks of a scale. texts: their labels."""
    return [
        Tick(written(scale.at(tick)), text) for tick, text in zip(scale.ticks, texts, strict=True)
    ]
