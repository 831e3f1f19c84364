"""Intervals beside a point: a line with a cap at each end."""

from __future__ import annotations

from leaderboard.pages.charts.coordinates import written

CAP = 3.0
"""Half the length of a cap."""


def across(low: float, high: float, y: float) -> str:
    """The path of a horizontal interval between two coordinates, at the height y."""
    left, right = sorted((low, high))
    return f"M{written(left)} {written(y)}H{written(right)}{_upright(left, y)}{_upright(right, y)}"


def upright(low: float, high: float, x: float) -> str:
    """The path of a vertical interval between two coordinates, at the place x."""
    top, bottom = sorted((low, high))
    return f"M{written(x)} {written(top)}V{written(bottom)}{_level(x, top)}{_level(x, bottom)}"


def _upright(x: float, y: float) -> str:
    return f"M{written(x)} {written(y - CAP)}v{written(2 * CAP)}"


def _level(x: float, y: float) -> str:
    return f"M{written(x - CAP)} {written(y)}h{written(2 * CAP)}"
