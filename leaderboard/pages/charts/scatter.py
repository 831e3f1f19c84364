"""Entries as points over two columns, with the line of those that no other entry dominates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leaderboard.pages.charts.axes import Axis
from leaderboard.pages.charts.coordinates import written
from leaderboard.pages.charts.frame import SMALL, Area, Drawn, Size, Tick, area_of, drawn, ticks_of
from leaderboard.pages.charts.label_places import LabelPlace, NamedPoint, place_labels
from leaderboard.pages.charts.scales import AxisScale
from leaderboard.pages.charts.steps import step_boxes, step_line
from leaderboard.pages.charts.whiskers import across, upright
from leaderboard.rules.rewards.intervals import Interval

BEST_RADIUS = 5.5
RADIUS = 4.5
MANY = 40
"""With more entries than this, only the best ones have names and intervals."""
QUIET_RADIUS = 3.0


@dataclass(frozen=True, slots=True)
class ScatterEntry:
    """A point: its values in the units of the axes, and the text and target of its link.

    is_out_of_ranking: whether it is out of the ranking.
    """

    name: str
    title: str
    url: str
    x: float
    y: float
    across: Interval | None = None
    upright: Interval | None = None
    is_out_of_ranking: bool = False


class Label(NamedTuple):
    """A name in a drawing."""

    x: str
    y: str
    anchor: str
    text: str


class Dot(NamedTuple):
    """The mark of an entry. outline: the path of a mark that is not a circle, else ""."""

    x: str
    y: str
    radius: str
    outline: str
    is_best: bool
    title: str
    url: str
    label: Label | None


class Scatter(NamedTuple):
    """A drawing of entries. dots: the best ones first, in the order of the line.

    intervals: the path of the intervals of the best entries; faint_intervals: of all others.
    """

    drawn: Drawn
    across: list[Tick]
    up: list[Tick]
    line: str
    intervals: str
    faint_intervals: str
    dots: list[Dot]


def scatter(
    size: Size,
    across_axis: Axis,
    up_axis: Axis,
    entries: Sequence[ScatterEntry],
    best: Sequence[int],
) -> Scatter:
    """Draw entries. best: the positions of those on the line, the best of the first axis first."""
    area, x, y = _scales(size, across_axis, up_axis)
    first = set(best)
    order = [*best, *(at for at in range(len(entries)) if at not in first)]
    free = -1 if across_axis.column.direction == "asc" else 1
    towards = free, 1 if up_axis.column.direction == "asc" else -1
    is_full = len(entries) > MANY
    named = best[::-1] if is_full or size is SMALL else order
    radius = QUIET_RADIUS if is_full else RADIUS
    points = [
        NamedPoint(x.at(entry.x), y.at(entry.y), BEST_RADIUS, entry.name, towards, is_bold=True)
        if at in first
        else NamedPoint(x.at(entry.x), y.at(entry.y), radius, entry.name)
        for at, entry in enumerate(entries)
    ]
    worst = area.right if free < 0 else area.left
    line = [(points[at].x, points[at].y) for at in best]
    labels = place_labels(points, _inside(size, area), named, step_boxes(line, worst))
    return Scatter(
        drawn=drawn(size, area),
        across=ticks_of(x, across_axis.texts(x)),
        up=ticks_of(y, up_axis.texts(y)),
        line=step_line(line, worst),
        intervals=_intervals([entries[at] for at in best], x, y),
        faint_intervals=_intervals([entries[at] for at in named[len(best) :]], x, y),
        dots=[_dot(entries[at], points[at], labels[at], is_best=at in first) for at in order],
    )


def _scales(size: Size, across_axis: Axis, up_axis: Axis) -> tuple[Area, AxisScale, AxisScale]:
    unplaced = up_axis.scale(1.0, 0.0, size.up)
    area = area_of(size, up_axis.texts(unplaced))
    x = across_axis.fitted_scale(area.left + 8.0, area.right - 8.0, size.across)
    return area, x, unplaced._replace(start=area.bottom - 6.0, end=area.top)


def _inside(size: Size, area: Area) -> tuple[float, float, float, float]:
    return area.left + 2.0, area.top - 8.0, size.width, area.bottom


def _intervals(entries: Sequence[ScatterEntry], x: AxisScale, y: AxisScale) -> str:
    paths = []
    for entry in entries:
        if entry.across:
            low, high = entry.across
            paths.append(across(x.at(low), x.at(high), y.at(entry.y)))
        if entry.upright:
            low, high = entry.upright
            paths.append(upright(y.at(low), y.at(high), x.at(entry.x)))
    return "".join(paths)


def _dot(entry: ScatterEntry, point: NamedPoint, label: LabelPlace | None, *, is_best: bool) -> Dot:
    return Dot(
        x=written(point.x),
        y=written(point.y),
        radius=written(point.radius),
        outline=_diamond(point) if entry.is_out_of_ranking else "",
        is_best=is_best,
        title=entry.title,
        url=entry.url,
        label=label and Label(written(label.x), written(label.y), label.anchor, label.text),
    )


def _diamond(point: NamedPoint) -> str:
    """The outline of an entry that is out of the ranking."""
    reach = point.radius + 1.0
    top, side = written(point.y - reach), written(reach)
    return f"M{written(point.x)} {top}l{side} {side}l-{side} {side}l-{side} -{side}z"
