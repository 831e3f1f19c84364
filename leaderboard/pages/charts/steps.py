"""Step lines: the best value so far, at each place of an axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from leaderboard.pages.charts.coordinates import written
from leaderboard.pages.charts.label_places import Box, box_between

ChartPoint = tuple[float, float]


def step_line(places: Sequence[ChartPoint], end: float) -> str:
    """The path of a line that keeps its height up to each next place, and then up to `end`.

    places: coordinates in the order of the line. end: a coordinate of the horizontal axis. "" if
    there are no places.
    """
    if not places:
        return ""
    (first, height), *next_places = places
    path = [f"M{written(first)} {written(height)}"]
    path += [f"H{written(x)}V{written(y)}" for x, y in next_places]
    return f"{''.join(path)}H{written(end)}"


def step_boxes(places: Sequence[ChartPoint], end: float) -> Iterator[Box]:
    """Yield the boxes that the parts of a `step_line` take up."""
    for (left, height), (right, next_height) in pairwise(places):
        yield box_between((left, height), (right, height))
        yield box_between((right, height), (right, next_height))
    for last, height in places[-1:]:
        yield box_between((last, height), (end, height))
