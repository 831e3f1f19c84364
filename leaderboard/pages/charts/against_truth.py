"""Predictions against the truth: rows or cells with rows, the line of equality, and spreads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from leaderboard.languages.translation import number_text
from leaderboard.pages.charts.coordinates import written
from leaderboard.pages.charts.frame import Drawn, Size, Tick, area_of, drawn, ticks_of
from leaderboard.pages.charts.scales import AxisScale, scale_of
from leaderboard.pages.charts.whiskers import upright

LEVELS: Final = 5
"""The shades of cells, by the logarithm of their rows."""


class TruthSpread(NamedTuple):
    """How predictions spread at one value of the truth. low, high: None for a single value."""

    truth: float
    middle: float
    low: float | None = None
    high: float | None = None


class AgainstTruth(NamedTuple):
    """A drawing. cells: the paths of cells by their shade, the lightest first; points: the path of
    single rows; equal: of the line of equality; spreads: of intervals; marks: the middles."""

    drawn: Drawn
    across: list[Tick]
    up: list[Tick]
    cells: list[str]
    points: str
    equal: str
    spreads: str
    marks: list[tuple[str, str]]


def against_truth(
    size: Size,
    cells: Sequence[tuple[float, ...]],
    cell: tuple[float, float],
    spreads: Sequence[TruthSpread],
    ends: Sequence[float] = (),
) -> AgainstTruth:
    """Draw predictions. cells: truth, prediction and rows; cell: their size, (0, 0) for rows.

    ends: values that both axes contain.
    """
    values = [
        *ends,
        *(middle for across, up, *_ in cells for middle in (across, up)),
        *(spread.truth for spread in spreads),
        *(value for spread in spreads for value in spread[1:] if value is not None),
    ]
    up_scale = scale_of(values, 1.0, 0.0, most=size.up)
    area = area_of(size, _texts(up_scale))
    y = up_scale._replace(start=area.bottom, end=area.top)
    x = scale_of(values, area.left, area.right, most=size.across)
    low, high = max(x.low, y.low), min(x.high, y.high)
    return AgainstTruth(
        drawn=drawn(size, area),
        across=ticks_of(x, _texts(x)),
        up=ticks_of(y, _texts(y)),
        cells=_shaded(cells, cell, x, y) if cell != (0.0, 0.0) else [],
        points="" if cell != (0.0, 0.0) else "".join(_point(x, y, row) for row in cells),
        equal=_line(x, y, low, high),
        spreads="".join(
            upright(y.at(spread.low), y.at(spread.high), x.at(spread.truth))
            for spread in spreads
            if spread.low is not None and spread.high is not None
        ),
        marks=[(written(x.at(spread.truth)), written(y.at(spread.middle))) for spread in spreads],
    )


def _texts(scale: AxisScale) -> list[str]:
    return [number_text(f"{tick:.6g}") for tick in scale.ticks]


def _line(x: AxisScale, y: AxisScale, low: float, high: float) -> str:
    start, end = ((written(x.at(at)), written(y.at(at))) for at in (low, high))
    return f"M{start[0]} {start[1]}L{end[0]} {end[1]}"


def _point(x: AxisScale, y: AxisScale, row: tuple[float, ...]) -> str:
    return f"M{written(x.at(row[0]))} {written(y.at(row[1]))}h0"


def _shaded(
    cells: Sequence[tuple[float, ...]], cell: tuple[float, float], x: AxisScale, y: AxisScale
) -> list[str]:
    most = math.log1p(max((rows for _, _, rows in cells), default=1.0))
    paths = [""] * LEVELS
    for truth, prediction, rows in cells:
        level = min(LEVELS - 1, int(LEVELS * math.log1p(rows) / most))
        left, right = (x.at(truth + side * cell[0] / 2) for side in (-1, 1))
        bottom, top = (y.at(prediction + side * cell[1] / 2) for side in (-1, 1))
        width, height = written(right - left), written(bottom - top)
        paths[level] += f"M{written(left)} {written(bottom)}h{width}v-{height}h-{width}z"
    return paths
