"""Step lines: the best value so far, at each place of an axis."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.pages.charts.coordinates import written

Place = tuple[float, float]


def step_line(places: Sequence[Place], end: float) -> str:
    """The path of a line that keeps its height up to each next place, and then up to `end`.

    places: coordinates in the order of the line. end: a coordinate of the horizontal axis. "" if
    there are no places.
    """
    if not places:
        return ""
    (first, height), *others = places
    path = [f"M{written(first)} {written(height)}"]
    path += [f"H{written(x)}V{written(y)}" for x, y in others]
    return f"{''.join(path)}H{written(end)}"
