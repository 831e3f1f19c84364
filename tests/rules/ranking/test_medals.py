"""Medals by ranks."""

from __future__ import annotations

import pytest

from leaderboard.rules.ranking.medals import MEDALS, medal_of

TABLE = [
    ("none", 1, (0, 0, 0)),
    ("first_three", 2, (1, 2, 2)),
    ("first_three", 900, (1, 2, 3)),
    ("shares", 1, (1, 1, 1)),
    ("shares", 50, (5, 10, 20)),
    ("shares", 200, (10, 40, 80)),
    ("shares", 249, (10, 49, 99)),
    ("shares", 500, (11, 50, 100)),
    ("shares", 5000, (20, 250, 500)),
]
"""A scheme, a number of rows, and the last ranks with gold, with silver or better, with any."""


@pytest.mark.parametrize(("scheme", "ranked", "ends"), TABLE)
def test_each_scheme_ends_where_its_table_says(
    scheme: str, ranked: int, ends: tuple[int, int, int]
) -> None:
    medals = [medal_of(rank, ranked, scheme) for rank in range(1, ranked + 1)]
    for end, kinds in zip(ends, (MEDALS[:1], MEDALS[:2], MEDALS), strict=True):
        assert sum(medal in kinds for medal in medals) == end
