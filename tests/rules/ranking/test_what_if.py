"""Orders under other weights, computed by hand."""

from __future__ import annotations

from math import inf

import pytest

from leaderboard.rules.ranking.what_if import (
    Span,
    Weighed,
    order_under,
    scaled,
    spans_of_lead,
    value_of,
)

# A bonus, a rating and a penalty. Official values: 100 + 60 − 40 = 120, 100 + 30 − 20 = 110 and
# 0 + 90 − 5 = 85.
ATLAS = Weighed((100.0, 60.0, -40.0), 1)
BOREAS = Weighed((100.0, 30.0, -20.0), 2)
CERES = Weighed((0.0, 90.0, -5.0), 3)
ALL = [ATLAS, BOREAS, CERES]
ONES = (1.0, 1.0, 1.0)


def test_the_official_weights_give_the_official_order() -> None:
    order = order_under(ALL, ONES)
    assert [(place.at, place.value, place.rank, place.moved) for place in order] == [
        (0, 120.0, 1, 0),
        (1, 110.0, 2, 0),
        (2, 85.0, 3, 0),
    ]


def test_a_doubled_penalty_changes_the_first() -> None:
    # 160 − 80 = 80, 130 − 40 = 90, 90 − 10 = 80: the shared 80 keeps the order of the board.
    order = order_under(ALL, (1.0, 1.0, 2.0))
    assert [(place.at, place.value, place.rank, place.moved) for place in order] == [
        (1, 90.0, 1, 1),
        (0, 80.0, 2, -1),
        (2, 80.0, 3, 0),
    ]
    assert not any(place.is_tied for place in order)


def test_the_first_stays_first_within_these_weights() -> None:
    # Bonus b: Atlas leads Boreas by 10 whatever b is; Ceres by 100 b + 20 − 85, so b ≥ 0.65.
    # Rating r: 30 r − 20 ≥ 0, so r ≥ 2/3; against Ceres 65 − 30 r ≥ 0, so r ≤ 65/30.
    # Penalty p: 30 − 20 p ≥ 0, so p ≤ 1.5; against Ceres 70 − 35 p ≥ 0, so p ≤ 2.
    bonus, rating, penalty = spans_of_lead(ALL, ONES, order_under(ALL, ONES))
    assert bonus == pytest.approx(Span(0.65, inf))
    assert rating == pytest.approx(Span(2 / 3, 65 / 30))
    assert penalty == pytest.approx(Span(0.0, 1.5))


def test_the_ends_of_a_span_are_true() -> None:
    for which in (0, 1, 2):
        span = spans_of_lead(ALL, ONES, order_under(ALL, ONES))[which]
        assert span is not None, which
        for weight, is_first in (
            (span.low - 0.01, False),
            (span.low + 0.01, True),
            (span.high - 0.01, True),
            (span.high + 0.01, False),
        ):
            if 0.0 <= weight < inf:
                weights = [weight if at == which else 1.0 for at in range(3)]
                assert (order_under(ALL, weights)[0].at == 0) is is_first, which


def test_entries_without_a_weighted_part_are_left_out() -> None:
    entries = [Weighed((0.9, 0.1), 1), Weighed((0.8, None), 2), Weighed((0.7, 0.9), 3)]
    assert [place.at for place in order_under(entries, (1.0, 0.0))] == [0, 1, 2]
    order = order_under(entries, (1.0, 1.0))
    assert [(place.at, place.rank, place.before) for place in order] == [(2, 1, 2), (0, 2, 1)]
    # With no weight on the second part, Atlas leads the third by 0.2 − 0.8 w, so w ≤ 0.25.
    spans = spans_of_lead(entries, (1.0, 0.0), order_under(entries, (1.0, 0.0)))
    assert spans[1] == pytest.approx(Span(0.0, 0.25))


def test_a_first_entry_without_the_part_has_no_span() -> None:
    entries = [Weighed((0.9, None), 1), Weighed((0.8, 0.5), 2)]
    order = order_under(entries, (1.0, 0.0))
    assert spans_of_lead(entries, (1.0, 0.0), order) == [Span(0.0, inf), None]


def test_shared_places_stay_shared_only_among_equal_ranks() -> None:
    entries = [Weighed((1.0,), 1), Weighed((1.0,), 1), Weighed((1.0,), 3)]
    order = order_under(entries, (2.0,))
    assert [(place.rank, place.is_tied) for place in order] == [(1, True), (1, True), (3, False)]


def test_values_below_the_least_count_as_the_least() -> None:
    entries = [Weighed((-5.0,), 1), Weighed((-3.0,), 2)]
    order = order_under(entries, (1.0,), least=0.0)
    assert [(place.at, place.value) for place in order] == [(0, 0.0), (1, 0.0)]
    assert spans_of_lead(entries, (1.0,), order, least=0.0) == [None]


def test_one_entry_has_no_span_and_none_has_no_order() -> None:
    assert spans_of_lead([ATLAS], ONES, order_under([ATLAS], ONES)) == [None] * 3
    assert order_under([], ()) == []


def test_a_sum_needs_every_part_that_has_a_weight() -> None:
    assert value_of((2.0, None), (3.0, 0.0)) == 6.0
    assert value_of((2.0, None), (3.0, 1.0)) is None
    assert value_of((2.0,), (0.0,)) == 0.0


def test_columns_are_scaled_from_the_worst_to_the_best() -> None:
    assert scaled([10.0, 20.0, None, 12.5], "desc") == [0.0, 1.0, None, 0.25]
    assert scaled([10.0, 20.0, None, 12.5], "asc") == [1.0, 0.0, None, 0.75]
    assert scaled([3.0, 3.0], "asc") == [1.0, 1.0]
    assert scaled([1.7e308, -1.7e308, 0.0, None], "desc") == [1.0, 0.0, 0.5, None]
    assert scaled([None], "desc") == [None]
