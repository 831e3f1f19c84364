"""Attempts as points over time, with the record as a step line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from leaderboard.pages.charts.axes import Axis
from leaderboard.pages.charts.coordinates import written
from leaderboard.pages.charts.frame import SMALL, Area, Drawn, Size, Tick, area_of, drawn, ticks_of
from leaderboard.pages.charts.label_places import Box, NamedPoint, place_labels
from leaderboard.pages.charts.scatter import BEST_RADIUS, Dot, Label
from leaderboard.pages.charts.steps import step_boxes, step_line

RADIUS: Final = 3.0
MOST_LINKS: Final = 300
"""The most attempts besides records that have a link; more of them are drawn as one path."""


class HistoryPoint(NamedTuple):
    """An attempt: seconds since 1970, its value in the unit of the axis, and its link."""

    at: float
    value: float
    name: str
    title: str
    url: str


class RuleLine(NamedTuple):
    """A vertical line at a moment, with a text at its upper end."""

    at: str
    text: str


class History(NamedTuple):
    """A drawing of attempts. dots: the records by time, then the others.

    cloud: the path of all other attempts if they are too many for links, else "".
    """

    drawn: Drawn
    across: list[Tick]
    up: list[Tick]
    line: str
    rules: list[RuleLine]
    cloud: str
    dots: list[Dot]


def history(
    size: Size,
    times: Axis,
    values: Axis,
    moments: Sequence[HistoryPoint],
    records: Sequence[int],
    rules: Sequence[tuple[float, str]] = (),
) -> History:
    """Draw attempts. moments: by time. records: the positions of those that were the best so far.

    rules: moments at which the rules changed, with the texts of their lines.
    """
    unplaced = values.scale(1.0, 0.0, size.up)
    area = area_of(size, values.texts(unplaced))
    x = times.scale(area.left + 8.0, area.right - 8.0, size.across)
    y = unplaced._replace(start=area.bottom - 6.0, end=area.top + 4.0)
    places = [(x.at(moment.at), y.at(moment.value)) for moment in moments]
    labels = _labels(size, area, moments, places, records, falls=values.column.direction == "asc")
    held = set(records)
    beaten = [at for at in range(len(moments)) if at not in held]
    are_linked = len(beaten) <= MOST_LINKS
    return History(
        drawn=drawn(size, area),
        across=ticks_of(x, times.texts(x)),
        up=ticks_of(y, values.texts(y)),
        line=step_line([places[at] for at in records], area.right),
        rules=[RuleLine(written(x.at(at)), text) for at, text in rules if x.low <= at <= x.high],
        cloud="" if are_linked else _cloud([places[at] for at in beaten]),
        dots=[
            _dot(moments[at], places[at], labels.get(at), is_record=at in held)
            for at in (*records, *(beaten if are_linked else ()))
        ],
    )


def _labels(
    size: Size,
    area: Area,
    moments: Sequence[HistoryPoint],
    places: Sequence[tuple[float, float]],
    records: Sequence[int],
    *,
    falls: bool,
) -> dict[int, Label]:
    """The names of the records, the newest first. In a small drawing only the newest may cover
    others' marks."""
    towards = (-1, 1 if falls else -1)
    named = [
        NamedPoint(*places[at], BEST_RADIUS, moments[at].name, towards, is_bold=True)
        for at in records
    ]
    inside = (area.left + 2.0, area.top - 8.0, size.width, area.bottom)
    crossed = [*step_boxes([places[at] for at in records], area.right), *map(_around, places)]
    label_places = place_labels(
        named, inside, range(len(named))[::-1], crossed, 1 if size is SMALL else None
    )
    return {
        at: Label(written(place.x), written(place.y), place.anchor, place.text)
        for at, place in zip(records, label_places, strict=True)
        if place
    }


def _around(place: tuple[float, float]) -> Box:
    x, y = place
    return x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS


def _dot(
    moment: HistoryPoint, place: tuple[float, float], label: Label | None, *, is_record: bool
) -> Dot:
    return Dot(
        x=written(place[0]),
        y=written(place[1]),
        radius=written(BEST_RADIUS if is_record else RADIUS),
        outline="",
        is_best=is_record,
        title=moment.title,
        url=moment.url,
        label=label,
    )


def _cloud(places: Sequence[tuple[float, float]]) -> str:
    """Points as a path of lines without length, which round ends make visible."""
    return "".join(f"M{written(x)} {written(y)}h0" for x, y in sorted(set(places)))
