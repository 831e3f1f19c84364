"""Columns of a chart, as places of rectangles in an SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

WIDTH: Final = 600
HEIGHT: Final = 100
GAP: Final = 0.2
"""The share of a column's width that stays empty."""
LEAST: Final = 1.5
"""The height of a column whose value is small and not zero."""


class Bar(NamedTuple):
    """A rectangle. title: what it says to those who point at it."""

    x: str
    y: str
    width: str
    height: str
    title: str


def bars(values: Sequence[int], titles: Sequence[str]) -> list[Bar]:
    """A rectangle for each value above zero, from left to right; the largest fills the height."""
    most, step = max(values, default=0), WIDTH / max(1, len(values))
    drawn = []
    for place, (value, title) in enumerate(zip(values, titles, strict=True)):
        if value:
            height = max(LEAST, HEIGHT * value / most)
            x, width = step * (place + GAP / 2), step * (1 - GAP)
            drawn.append(Bar(f"{x:g}", f"{HEIGHT - height:g}", f"{width:g}", f"{height:g}", title))
    return drawn
