"""Records: the values that were better than all earlier ones."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.rules.ranking.places import RankKey


def records(values: Sequence[float], key: RankKey) -> list[int]:
    """The positions of the values that are better than all before them, the first one included.

    values: in the order of time. key: their better end, and the decimals that are compared.
    """
    positions: list[int] = []
    best = 0.0
    for position, value in enumerate(values):
        upwards = round(value if key.direction == "desc" else -value, key.decimals)
        if not positions or upwards > best:
            positions.append(position)
            best = upwards
    return positions
