"""The Pareto set of two columns: the entries that no other entry dominates."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.rules.sortkey import PRECISION, Direction

ParetoPoint = tuple[float | None, float | None]


def pareto_set(
    points: Sequence[ParetoPoint], directions: tuple[Direction, Direction]
) -> tuple[int, ...]:
    """The entries that are not dominated, the best of the first column first.

    points: two values of each entry; an entry that lacks one is left out. directions: `asc` where
    less is better. An entry is dominated by another one that is at least as good in both columns
    and better in one. Entries that are equal in both do not dominate each other. Values are
    rounded to 9 decimals, as ranks round them.
    """
    first, second = (1.0 if direction == "asc" else -1.0 for direction in directions)
    complete_points = sorted(
        (round(first * x, PRECISION) + 0.0, round(second * y, PRECISION) + 0.0, row)
        for row, (x, y) in enumerate(points)
        if x is not None and y is not None
    )
    rows: list[int] = []
    last: tuple[float, float] | None = None
    for x, y, row in complete_points:
        if last is None or y < last[1] or (x, y) == last:
            rows.append(row)
            last = x, y
    return tuple(rows)
