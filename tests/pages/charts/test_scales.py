"""Scales contain their values, and their ticks are round numbers."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from django.utils.translation import override
from hypothesis import example, given
from hypothesis import strategies as st

from leaderboard.columns import Column, get_column
from leaderboard.pages.charts.axes import Axis, axis_of
from leaderboard.pages.charts.label_places import width_of
from leaderboard.pages.charts.scales import nice_step, scale_of
from leaderboard.pages.charts.tick_texts import tick_texts

COST = replace(get_column("cost_usd"), decimals=3)
SHARE = Column("share", "Share", "desc", unit="%", decimals=1, is_share=True)
WEIGHT = Column("weight", "Weight", "desc", unit="kg", decimals=1)
SPEED = Column("speed", "Speed", "desc", unit="requests/s", decimals=1)
PLAIN = Column("tokens", "Tokens", "asc", decimals=0)
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def test_a_step_is_a_round_number() -> None:
    least = (0.9, 1.0, 1.1, 2.2, 3.0, 7.0, 0.013)
    steps = [nice_step(value) for value in least]
    assert steps == pytest.approx([1.0, 1.0, 2.0, 2.5, 5.0, 10.0, 0.02])


def test_a_linear_scale_has_round_ticks_around_all_values() -> None:
    scale = scale_of([0.23, 0.92], 0, 100)
    assert tick_texts(scale, PLAIN) == ["0.2", "0.4", "0.6", "0.8", "1.0"]
    assert (scale.at(0.2), scale.at(0.6), scale.at(1.0)) == pytest.approx((0, 50, 100))


def test_a_vertical_scale_grows_upwards() -> None:
    scale = scale_of([0, 10], 400, 30)
    assert (scale.at(0), scale.at(10)) == (400, 30)


def test_ticks_are_as_precise_as_their_distance() -> None:
    table: list[tuple[list[float], str]] = [
        ([0, 25_000], "0 5,000 10,000 15,000 20,000 25,000"),
        ([0, 2_400_000], "0 0.5M 1.0M 1.5M 2.0M 2.5M"),
        ([-3, 3], "−3 −2 −1 0 1 2 3"),
        ([7, 7], "6.25 6.50 6.75 7.00 7.25 7.50 7.75"),
        ([0.0], "0.0 0.2 0.4 0.6 0.8 1.0"),
        ([0.0, 5e-324], "0.0 0.2 0.4 0.6 0.8 1.0"),
    ]
    for values, texts in table:
        assert tick_texts(scale_of(values, 0, 100), PLAIN) == texts.split(), values


@pytest.mark.parametrize(
    ("column", "values", "english", "german"),
    [
        (COST, [0.0, 0.3], "$0.000 $0.100 $0.200 $0.300", "0,000 $ 0,100 $ 0,200 $ 0,300 $"),
        (COST, [0.0, 3e-4], "$0.0000 $0.0001 $0.0002 $0.0003", ""),
        (COST, [-2e6, 1e6], "−$2M −$1M $0 $1M", "−2M $ −1M $ 0 $ 1M $"),
        (SHARE, [70.0, 100.0], "70.0% 80.0% 90.0% 100.0%", "70,0 % 80,0 % 90,0 % 100,0 %"),
        (WEIGHT, [-5, 10], "−5.0 kg 0.0 kg 5.0 kg 10.0 kg", ""),
        (SPEED, [0, 3], "0.0 1.0 2.0 3.0", "0,0 1,0 2,0 3,0"),
    ],
)
def test_ticks_are_written_like_the_cells_of_their_column(
    column: Column, values: list[float], english: str, german: str
) -> None:
    scale = scale_of(values, 0, 100, most=3)
    for language, texts in (("en", english), ("de", german)):
        with override(language):
            written = " ".join(tick_texts(scale, column)).replace("\N{NO-BREAK SPACE}", " ")
        assert not texts or written == texts


@pytest.mark.parametrize("column", [COST, SHARE, WEIGHT, PLAIN])
@pytest.mark.parametrize("is_log", [False, True])
def test_the_texts_of_a_horizontal_axis_have_room(column: Column, is_log: bool) -> None:
    for largest in (0.0009, 0.4, 7.0, 85_000.0):
        axis = axis_of(column, [largest / 300, largest], is_log)
        scale = axis.fitted_scale(40.0, 360.0, 4)
        places = [scale.at(tick) for tick in scale.ticks]
        widths = [width_of(text) for text in axis.texts(scale)]
        boxes = [(at - width / 2, at + width / 2) for at, width in zip(places, widths, strict=True)]
        assert all(left[1] < right[0] for left, right in pairwise(boxes)), largest


def test_the_title_of_an_axis_has_a_unit_that_its_ticks_do_not_have() -> None:
    assert "requests" in Axis(SPEED, [1.0]).title
    assert "kg" not in Axis(WEIGHT, [1.0]).title
    assert "USD" not in Axis(COST, [1.0]).title


def test_a_logarithmic_scale_gives_equal_factors_equal_distances() -> None:
    scale = scale_of([1, 1000], 0, 300, is_log=True)
    ten, hundred, thousand = scale.at(10), scale.at(100), scale.at(1000)
    assert hundred - ten == pytest.approx(thousand - hundred)
    assert (
        tick_texts(scale, PLAIN) == ["1", "3", "10", "30", "100", "300", "1,000"]
        or len(scale.ticks) <= 6
    )


def test_a_logarithmic_scale_has_as_many_ticks_as_fit() -> None:
    table: list[tuple[list[float], str]] = [
        ([1, 12], "1 2 5 10"),
        ([0.0004, 0.3], "0.001 0.01 0.1"),
    ]
    for values, texts in table:
        scale = scale_of(values, 0, 300, is_log=True, most=5)
        assert tick_texts(scale, PLAIN) == texts.split(), values


def test_a_logarithmic_scale_leaves_out_what_is_not_positive() -> None:
    scale = scale_of([-1, 0, 1, 10], 0, 300, is_log=True)
    assert 0 < scale.low < 1 < 10 < scale.high
    assert scale.at(-5) == 0


@given(st.lists(FINITE, max_size=9), st.booleans())
@example(values=[5e-324], is_log=True)
@example(values=[1.7e308], is_log=True)
@example(values=[1.7e308], is_log=False)
def test_every_value_is_on_the_scale(values: list[float], is_log: bool) -> None:
    scale = scale_of(values, 10, 500, is_log=is_log)
    assert scale.low < scale.high
    assert all(math.isfinite(tick) for tick in scale.ticks)
    assert 2 <= len(scale.ticks) <= 25 or (is_log and scale.ticks)
    assert len(tick_texts(scale, PLAIN)) == len(scale.ticks)
    places = [scale.at(value) for value in sorted(values) if value > 0 or not is_log]
    assert all(9.99 <= place <= 500.01 for place in places)
    assert places == sorted(places)
