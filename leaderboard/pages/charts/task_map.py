"""Tasks × entries as a picture: a cell for each, filled as far as the entry solved the task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from leaderboard.pages.charts.coordinates import written
from leaderboard.pages.charts.frame import Size
from leaderboard.pages.charts.label_places import FONT, shortened, width_of
from leaderboard.rules.ranking.board_summaries import FAILED, FULL, Solved, mean_solved

MOST_COLUMNS: Final = 200
"""More tasks than this are drawn as bins."""
BINS: Final = 100
ROW: Final = 18.0
TOP: Final = 22.0
MOST_NAMED: Final = 40
"""More tasks than this have no names above their columns."""
WIDEST: Final = 64.0
"""The largest width of a column."""
GAP: Final = 0.14
"""The share of a column that stays empty."""
SPACE: Final = 12.0
"""The space between the names and the cells."""
BAR: Final = 13.0
"""The height of a full cell."""
_LEAST: Final = 1.5
"""The height of a value that is small and not zero."""
_STATES: Final = ("full", "partly", "empty", "failed", "missing")


class MapRow(NamedTuple):
    """An entry of a picture: the place of its name, and the text and target of its link."""

    y: str
    name: str
    title: str
    url: str


class MapColumn(NamedTuple):
    """The area of a task in a picture, with a link; the area of a bin has none.

    middle: where its name ends; name: "" where there is no room for names.
    """

    x: str
    width: str
    title: str
    url: str
    middle: str
    name: str


class TaskMap(NamedTuple):
    """A picture. full, partly, empty, failed, missing: the paths of the cells in these states."""

    name: str
    view_box: str
    left: str
    right: str
    top: str
    height: str
    rows: list[MapRow]
    columns: list[MapColumn]
    full: str
    partly: str
    empty: str
    failed: str
    missing: str


class Titled(NamedTuple):
    """An entry or a task of a picture. title: the text of its link."""

    name: str
    title: str
    url: str


def task_map(
    size: Size,
    entries: Sequence[Titled],
    tasks: Sequence[Titled],
    solved: Sequence[Solved],
) -> TaskMap:
    """Draw tasks × entries. solved: of each entry, the tasks in the order of the columns."""
    left = max((width_of(shortened(entry.name)) for entry in entries), default=0.0) + SPACE
    left = min(left, 0.4 * size.width)
    columns = len(solved[0]) if solved else 0
    width = min(WIDEST, (size.width - left) / max(1, columns))
    names = [shortened(task.name) if len(tasks) <= MOST_NAMED else "" for task in tasks]
    top = TOP + max(map(width_of, names), default=0.0)
    height = top + ROW * len(entries)
    paths: dict[str, list[str]] = {state: [] for state in _STATES}
    for row, mine in enumerate(solved):
        for state, path in _cells(mine, left, top + ROW * row, width):
            paths[state].append(path)
    return TaskMap(
        name=size.name,
        view_box=f"0 0 {written(size.width)} {written(height)}",
        left=written(left),
        right=written(left + width * columns),
        top=written(top - 4.0),
        height=written(height),
        rows=[_row(entry, top + ROW * row, left - SPACE) for row, entry in enumerate(entries)],
        columns=[
            MapColumn(
                written(left + width * at),
                written(width),
                task.title,
                task.url,
                written(left + width * (at + 0.5) + 0.35 * FONT),
                names[at],
            )
            for at, task in enumerate(tasks)
        ],
        **{state: "".join(parts) for state, parts in paths.items()},
    )


def binned(solved: Sequence[Solved]) -> list[list[int]]:
    """The means of neighbouring tasks, in so many bins; a state where no task has a value."""
    columns = len(solved[0]) if solved else 0
    edges = [round(at * columns / BINS) for at in range(BINS + 1)]
    return [[mean_solved(mine[low:high]) for low, high in pairwise(edges)] for mine in solved]


def _row(entry: Titled, top: float, widest: float) -> MapRow:
    y = top + 0.5 * ROW + 0.35 * FONT
    return MapRow(written(y), shortened(entry.name, widest), entry.title, entry.url)


def _cells(solved: Solved, left: float, top: float, width: float) -> Iterator[tuple[str, str]]:
    """The states of a row's cells, each with its path."""
    bar, bottom = width * (1.0 - GAP), top + (ROW + BAR) / 2
    for at, percent in enumerate(solved):
        x = left + width * at
        if percent == FAILED:
            yield "failed", f"{_box(x, bottom, bar, BAR)}{_diagonal(x, bottom, bar)}"
        elif percent < 0:
            yield "missing", f"M{written(x + bar / 2)} {written(bottom - BAR / 2)}h0"
        elif percent == 0:
            yield "empty", _box(x, bottom, bar, 1.0)
        elif percent >= FULL:
            yield "full", _box(x, bottom, bar, BAR)
        else:
            yield "partly", _box(x, bottom, bar, max(_LEAST, BAR * percent / FULL))


def _diagonal(x: float, bottom: float, width: float) -> str:
    return f"M{written(x)} {written(bottom)}l{written(width)} -{written(BAR)}"


def _box(x: float, bottom: float, width: float, height: float) -> str:
    return f"M{written(x)} {written(bottom)}h{written(width)}v-{written(height)}h-{written(width)}z"
