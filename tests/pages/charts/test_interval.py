"""The geometry of drawn intervals."""

from __future__ import annotations

import re

import pytest
from django.utils import translation

from leaderboard.pages.charts.interval import WIDTH, Scale, interval_chart, scale_of

UNIT = Scale(0.0, 1.0, 0.75)


def test_values_are_placed_on_the_scale() -> None:
    assert [UNIT.x(value) for value in (0.0, 0.5, 1.0)] == [4.0, WIDTH / 2, WIDTH - 4.0]
    assert [UNIT.x(value) for value in (-9.0, 9.0)] == [4.0, WIDTH - 4.0]


def test_the_picture_has_a_dot_a_line_and_the_leader() -> None:
    svg = interval_chart(UNIT, 0.5, (0.25, 1.0))
    assert 'class="dot" cx="40"' in svg
    assert '<path class="whisker" d="M22 4v6M22 7H76M76 4v6"/>' in svg
    assert '<path class="leader" d="M58 0v14"/>' in svg
    assert 'aria-hidden="true"' in svg
    assert "style" not in svg


def test_a_value_without_interval_is_an_empty_dot() -> None:
    svg = interval_chart(Scale(0.0, 1.0), 0.5, None)
    assert 'class="ring"' in svg
    assert "whisker" not in svg
    assert "leader" not in svg


def test_no_language_changes_coordinates() -> None:
    with translation.override("de"):
        numbers = re.findall(r'cx="([^"]*)"', interval_chart(UNIT, 0.123, (0.1, 0.2)))
    assert numbers == ["12.9"]


def test_the_scale_contains_all_rows() -> None:
    for values, intervals, expected in (
        ([0.9, 0.5], [(0.8, 1.0), (0.3, 0.6)], (0.0, 1.0)),
        ([0.9, 0.85], [(0.8, 1.0)], (0.796, 1.004)),
        ([200.0, 100.0], [(150.0, 250.0)], (97.0, 253.0)),
        ([5.0], [(5.0, 5.0)], (2.5, 7.5)),
        ([0.0], [(0.0, 0.0)], (-1.0, 1.0)),
    ):
        scale = scale_of(values, intervals)
        assert scale is not None
        assert (scale.low, scale.high) == pytest.approx(expected), values


def test_there_is_no_scale_without_intervals() -> None:
    assert scale_of([1.0, 2.0], []) is None
