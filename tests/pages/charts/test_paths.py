"""The paths of step lines and intervals."""

from __future__ import annotations

from leaderboard.pages.charts.coordinates import written
from leaderboard.pages.charts.steps import step_line
from leaderboard.pages.charts.whiskers import across, upright


def test_coordinates_are_short_and_have_a_point() -> None:
    texts = [written(number) for number in (3.0, 12.34, -0.01, 1234.56)]
    assert texts == ["3", "12.3", "0", "1234.6"]


def test_a_step_line_goes_across_before_it_goes_up() -> None:
    assert step_line([(10, 90), (20, 50), (40, 30)], 100) == "M10 90H20V50H40V30H100"
    assert step_line([(10, 90)], 5) == "M10 90H5"
    assert step_line([], 100) == ""


def test_intervals_have_a_cap_at_each_end() -> None:
    assert across(30, 10, 50) == "M10 50H30M10 47v6M30 47v6"
    assert upright(30, 10, 50) == "M50 10V30M47 10h6M47 30h6"
