"""The Pareto set: published numbers, ties, and brute force."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.sortkey import Direction
from leaderboard.rules.statistics.pareto import ParetoPoint, pareto_set
from tests.rules.statistics.boards import DIRECTIONS

COSTS: list[ParetoPoint] = [
    (1, 0.50),
    (2, 0.60),
    (2.5, 0.58),
    (4, 0.61),
    (10, 0.75),
    (10, 0.75),
    (12, 0.74),
]


def test_the_set_equals_a_published_one() -> None:
    """The entries a to g have a cost and an accuracy."""
    assert "".join("abcdefg"[row] for row in pareto_set(COSTS, ("asc", "desc"))) == "abdef"


def test_each_column_has_its_direction() -> None:
    assert pareto_set(COSTS, ("desc", "desc")) == (6, 4, 5)
    assert pareto_set(COSTS, ("asc", "asc")) == (0,)
    turned = [(y, x) for x, y in COSTS]
    assert sorted(pareto_set(turned, ("desc", "asc"))) == [0, 1, 3, 4, 5]


def test_a_missing_value_is_not_zero() -> None:
    assert pareto_set([(None, 0.9), (1.0, None), (2.0, 0.5)], ("asc", "desc")) == (2,)
    assert pareto_set([], ("asc", "desc")) == ()


def test_an_entry_equal_in_one_column_may_be_dominated() -> None:
    """The same price for less, and the same quality for more, are dominated."""
    assert pareto_set([(1, 0.5), (1, 0.6), (2, 0.6)], ("asc", "desc")) == (1,)


def test_rounding_makes_ties() -> None:
    assert pareto_set([(0.1 + 0.2, 1.0), (0.3, 1.0)], ("asc", "desc")) == (0, 1)


NUMBERS = st.one_of(st.none(), st.sampled_from([0.0, 0.5, 1.0, 2.0]), st.floats(-9, 9))


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=8), DIRECTIONS, DIRECTIONS)
def test_only_entries_outside_the_set_are_dominated(
    points: list[ParetoPoint], first: Direction, second: Direction
) -> None:
    def worth(row: int) -> tuple[float, float] | None:
        x, y = points[row]
        if x is None or y is None:
            return None
        x, y = round(x, 9), round(y, 9)
        return (-x if first == "asc" else x), (-y if second == "asc" else y)

    worths = {row: value for row in range(len(points)) if (value := worth(row)) is not None}
    expected = {
        row
        for row, (x, y) in worths.items()
        if not any(a >= x and b >= y and (a, b) != (x, y) for a, b in worths.values())
    }
    rows = pareto_set(points, (first, second))
    assert len(rows) == len(set(rows))
    assert set(rows) == expected
    assert [worths[row][0] for row in rows] == sorted(
        (worths[row][0] for row in rows), reverse=True
    )
