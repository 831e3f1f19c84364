"""Byte keys sort as their values do: compared with orders that do not use bytes."""

import math
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

from hypothesis import example, given
from hypothesis import strategies as st

from leaderboard.rules.sortkey import (
    Direction,
    number_key,
    reached_key,
    reversed_key,
    time_key,
    values_key,
)

Row = list[float | None]

directions: st.SearchStrategy[Direction] = st.sampled_from(("asc", "desc"))
numbers = st.floats(allow_nan=False, allow_infinity=False)
near = st.integers(-5, 5).map(lambda steps: 1.0 + steps * 4e-10)
"""Numbers so close to each other that some count as equal and some do not."""
moments = st.datetimes(timezones=st.just(UTC))


def rounded(value: float) -> float:
    return round(value, 9)


def ahead(one: Row, other: Row, directions: list[Direction]) -> bool:
    """Return whether `one` is before `other`, value by value, with None last."""
    for a, b, direction in zip(one, other, directions, strict=True):
        if a is None or b is None:
            if a is not b:
                return b is None
        elif rounded(a) != rounded(b):
            return (rounded(a) < rounded(b)) == (direction == "asc")
    return False


@given(numbers | near, numbers | near)
@example(0.0, -0.0)
@example(-1e-10, 1e-10)
@example(1.0, 1.0 + 1e-10)
@example(math.ulp(0.0), -math.ulp(0.0))
@example(1.7976931348623157e308, -1.7976931348623157e308)
def test_a_number_key_sorts_as_the_rounded_number(a: float, b: float) -> None:
    for_ascending = number_key(a, "asc"), number_key(b, "asc")
    for_descending = number_key(b, "desc"), number_key(a, "desc")
    for left, right in (for_ascending, for_descending):
        assert (left < right) == (rounded(a) < rounded(b))
        assert (left == right) == (rounded(a) == rounded(b))


@given(st.integers(-(10**15), 10**15), st.integers(-(10**15), 10**15))
def test_whole_numbers_up_to_the_largest_accepted_keep_their_order(a: int, b: int) -> None:
    assert (number_key(a, "asc") < number_key(b, "asc")) == (a < b)
    assert (number_key(a, "desc") < number_key(b, "desc")) == (a > b)


@given(numbers, directions)
@example(math.inf, "asc")
@example(-math.inf, "desc")
def test_a_missing_value_comes_after_every_number(value: float, direction: Direction) -> None:
    assert number_key(value, direction) < number_key(None, direction)


@st.composite
def boards(draw: st.DrawFn) -> tuple[list[Direction], list[Row]]:
    """Draw one to four directions, and rows of as many values, many of them equal."""
    chosen = draw(st.lists(directions, min_size=1, max_size=4))
    value = st.none() | st.integers(-2, 2).map(float) | near | numbers
    row = st.lists(value, min_size=len(chosen), max_size=len(chosen))
    return chosen, draw(st.lists(row, min_size=2, max_size=8))


@given(boards())
def test_several_values_are_compared_in_order(
    board: tuple[list[Direction], list[Row]],
) -> None:
    chosen, rows = board
    keys = [values_key(list(zip(row, chosen, strict=True))) for row in rows]
    assert {len(key) for key in keys} == {8 * len(chosen)}
    for one, its_key in zip(rows, keys, strict=True):
        for other, other_key in zip(rows, keys, strict=True):
            assert (its_key < other_key) == ahead(one, other, chosen)


@given(moments, moments)
@example(datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC), datetime(1970, 1, 1, tzinfo=UTC))
def test_a_time_key_sorts_as_the_time_does(a: datetime, b: datetime) -> None:
    assert (time_key(a) < time_key(b)) == (a < b)
    assert (time_key(a) == time_key(b)) == (a == b)


def test_a_microsecond_counts_and_the_zone_does_not() -> None:
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    assert time_key(noon) < time_key(noon + timedelta(microseconds=1))
    assert time_key(noon) == time_key(noon.astimezone(timezone(timedelta(hours=5, minutes=30))))


@given(moments, moments, st.uuids(), st.uuids())
def test_ids_decide_between_equal_times(a: datetime, b: datetime, one: UUID, other: UUID) -> None:
    assert (reached_key(a, one) < reached_key(b, other)) == ((a, one.int) < (b, other.int))
    assert (reached_key(a, one) < reached_key(a, other)) == (one.int < other.int)


@given(st.binary(min_size=24, max_size=24), st.binary(min_size=24, max_size=24))
def test_a_reversed_key_sorts_in_reverse(a: bytes, b: bytes) -> None:
    assert (reversed_key(a) < reversed_key(b)) == (b < a)
    assert reversed_key(reversed_key(a)) == a
