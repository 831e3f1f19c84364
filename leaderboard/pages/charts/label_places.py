"""Places for the names of points, so that no name covers another one or a point.

A greedy search: names are placed one after another, the important ones first, each at the first of
eight places around its point that is free. A place that a line crosses is taken only if no other
one is free. A name without a free place is left out.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

FONT: Final = 12.0
"""The size of names, in units of the drawing."""
WIDTH: Final = 0.58
"""The mean width of a character, in font sizes; a wide one, as of Chinese, is a whole size wide."""
WIDE_LETTERS: Final = frozenset("MW@%")
"""Letters and signs that are nearly as wide as those of Chinese."""
BOLD: Final = 1.08
"""How much wider bold characters are."""
GAP: Final = 4.0
"""The space between a point and its name."""
LONGEST: Final = 24
"""The most characters of a name, and of mean width."""
ROUNDING: Final = 0.01
LINE: Final = 1.5
"""Half of the width of a line, with some space beside it."""
CELL: Final = 40.0
"""The size of the cells of the grid in which boxes are looked up."""

Anchor = Literal["start", "middle", "end"]
Box = tuple[float, float, float, float]

AROUND: Final = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
"""The sides of a point, the most readable first: to the right and downwards are positive."""
ANCHORS: Final[dict[int, Anchor]] = {-1: "end", 0: "middle", 1: "start"}


class NamedPoint(NamedTuple):
    """A point with a name. radius: of its mark.

    towards: the side on which the name is preferred, such as (-1, -1) for the upper left; (0, 0)
    for none. is_bold: whether the name is written in bold.
    """

    x: float
    y: float
    radius: float
    name: str
    towards: tuple[int, int] = (0, 0)
    is_bold: bool = False


class LabelPlace(NamedTuple):
    """Where a shortened name is written. x, y: the point of its baseline that `anchor` names."""

    x: float
    y: float
    anchor: Anchor
    text: str


def place_labels(
    points: Sequence[NamedPoint],
    inside: Box,
    order: Sequence[int] | None = None,
    crossed: Iterable[Box] = (),
    crossing: int | None = None,
) -> list[LabelPlace | None]:
    """A place for each point's name, None for a name that finds none.

    inside: left, top, right and bottom of the area that names may fill. order: the positions of the
    points whose names are placed, the most important first; all of them in their order if None.
    crossed: boxes of lines and of marks without a name, which names cover only if there is no other
    place. crossing: how many of the first names may do so, all of them if None.
    """
    taken, drawn = _Grid(map(_around, points)), _Grid(crossed)
    label_places: list[LabelPlace | None] = [None] * len(points)
    for turn, position in enumerate(range(len(points)) if order is None else order):
        places = _places(points[position])
        free = [
            place for place in places if _is_within(place[1], inside) and taken.is_free(place[1])
        ]
        clear = [place for place in free if drawn.is_free(place[1])]
        if chosen := clear or (free if crossing is None or turn < crossing else []):
            label_places[position], box = chosen[0]
            taken.add(box)
    return label_places


def box_between(one: tuple[float, float], other: tuple[float, float]) -> Box:
    """The box of a horizontal or vertical line."""
    (left, right), (top, bottom) = sorted((one[0], other[0])), sorted((one[1], other[1]))
    return left - LINE, top - LINE, right + LINE, bottom + LINE


def shortened(name: str, widest: float = LONGEST * WIDTH * FONT) -> str:
    """A name of at most `LONGEST` characters, no wider than so many units of the drawing."""
    return fitted(name if len(name) <= LONGEST else f"{name[: LONGEST - 1].rstrip()}…", widest)


def fitted(text: str, widest: float) -> str:
    """A text that is cut where it would be wider than so many units of the drawing."""
    if width_of(text) <= widest + ROUNDING:
        return text
    while len(text) > 1 and width_of(f"{text}…") > widest:
        text = text[:-1]
    return f"{text.rstrip()}…"


def width_of(text: str) -> float:
    """The estimated width of a text in units of the drawing."""
    wide = sum(char in WIDE_LETTERS or unicodedata.east_asian_width(char) in "WF" for char in text)
    return FONT * (WIDTH * (len(text) - wide) + wide)


def _places(point: NamedPoint) -> list[tuple[LabelPlace, Box]]:
    """The eight places around a point, the preferred ones first."""
    text = shortened(point.name)
    width, away = width_of(text) * (BOLD if point.is_bold else 1.0), point.radius + GAP
    places = []
    for across, up in sorted(AROUND, key=lambda side: -_agreement(side, point.towards)):
        reach = 0.7 * away if across and up else away
        baseline = point.y + up * reach + {-1: 0.0, 0: 0.35, 1: 0.75}[up] * FONT
        places.append(_place(point.x + across * reach, baseline, ANCHORS[across], text, width))
    return places


def _agreement(one: tuple[int, int], other: tuple[int, int]) -> int:
    return one[0] * other[0] + one[1] * other[1]


def _place(x: float, y: float, anchor: Anchor, text: str, width: float) -> tuple[LabelPlace, Box]:
    left = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
    box = left, y - 0.8 * FONT, left + width, y + 0.25 * FONT
    return LabelPlace(x, y, anchor, text), box


def _around(point: NamedPoint) -> Box:
    reach = point.radius + 1.0
    return point.x - reach, point.y - reach, point.x + reach, point.y + reach


def _is_within(box: Box, area: Box) -> bool:
    left, top, right, bottom = area
    return left <= box[0] and top <= box[1] and box[2] <= right and box[3] <= bottom


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


class _Grid:
    """Boxes, looked up by the cells that they touch."""

    def __init__(self, boxes: Iterable[Box]) -> None:
        self._cells: dict[tuple[int, int], list[Box]] = {}
        for box in boxes:
            self.add(box)

    def add(self, box: Box) -> None:
        for cell in self._touched(box):
            self._cells.setdefault(cell, []).append(box)

    def is_free(self, box: Box) -> bool:
        neighbours = (
            neighbour for cell in self._touched(box) for neighbour in self._cells.get(cell, ())
        )
        return not any(_overlap(box, neighbour) for neighbour in neighbours)

    def _touched(self, box: Box) -> Iterator[tuple[int, int]]:
        left, top, right, bottom = (int(edge // CELL) for edge in box)
        for column in range(left, right + 1):
            yield from ((column, row) for row in range(top, bottom + 1))
