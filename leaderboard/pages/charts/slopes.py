"""Two orders of the same entries side by side; a line leads from each rank to the new one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from leaderboard.pages.charts.coordinates import written

MOST_DRAWN: Final = 10
"""So many of the first entries of each order are drawn."""
WIDTH: Final = 380.0
LINE: Final = 20.0
TOP: Final = 26.0
SIDE: Final = 138.0
"""How wide ranks and names are on each side."""
MOST_CHARACTERS: Final = 15


class Slope(NamedTuple):
    """An entry with its rank in both orders."""

    name: str
    before: int
    after: int


class DrawnSlope(NamedTuple):
    """An entry in the drawing. direction: "up", "down" or "same"."""

    before: str
    after: str
    name: str
    whole_name: str
    direction: str
    path: str
    left_y: str
    right_y: str


class Slopes(NamedTuple):
    """The drawing: its size, the places of the two columns, and the entries."""

    width: str
    height: str
    left: str
    right: str
    lines: list[DrawnSlope]
    moved: int
    entries: int


def slopes(entries: Sequence[Slope]) -> Slopes:
    """Draw the entries that are among the first in one of the orders. entries: in the new order."""
    drawn = [entry for entry in entries if min(entry.before, entry.after) <= MOST_DRAWN]
    drawn = drawn[: 2 * MOST_DRAWN]
    by_before = sorted(range(len(drawn)), key=lambda at: (drawn[at].before, at))
    left_at = {at: place for place, at in enumerate(by_before)}
    return Slopes(
        width=written(WIDTH),
        height=written(TOP + LINE * len(drawn)),
        left=written(SIDE),
        right=written(WIDTH - SIDE),
        lines=[_line(slope, left_at[at], at) for at, slope in enumerate(drawn)],
        moved=sum(entry.before != entry.after for entry in entries),
        entries=len(entries),
    )


def _line(entry: Slope, left: int, right: int) -> DrawnSlope:
    name, moved = entry.name, entry.before - entry.after
    if len(name) > MOST_CHARACTERS:
        name = f"{name[: MOST_CHARACTERS - 1].rstrip()}…"
    start, end = TOP + LINE * (left + 0.5), TOP + LINE * (right + 0.5)
    middle = WIDTH / 2
    return DrawnSlope(
        before=str(entry.before),
        after=str(entry.after),
        name=name,
        whole_name=entry.name,
        direction="up" if moved > 0 else "down" if moved < 0 else "same",
        path=f"M{written(SIDE + 6)} {written(start)}C{written(middle)} {written(start)} "
        f"{written(middle)} {written(end)} {written(WIDTH - SIDE - 6)} {written(end)}",
        left_y=written(start + 4.0),
        right_y=written(end + 4.0),
    )
