"""The geometry of a score's terms."""

from __future__ import annotations

import re

from django.utils import translation

from leaderboard.pages.charts.waterfall import WIDTH, waterfall

LEFT, RIGHT = 3.0, WIDTH - 3.0


def bar(svg: str) -> tuple[str, float, float]:
    """Return the name of a bar, and where it begins and ends."""
    rect = re.search(r'<rect class="(\w+)" x="([0-9.]+)" y="[0-9.]+" width="([0-9.]+)"', svg)
    assert rect
    start = float(rect[2])
    return rect[1], start, start + float(rect[3])


def test_each_bar_begins_where_the_last_one_ended() -> None:
    steps = waterfall([100.0, 50.0, -30.0], 120.0, 120.0)
    unit = (RIGHT - LEFT) / 150.0
    assert [bar(term)[0] for term in steps.terms] == ["plus", "plus", "minus"]
    first, second, third = (bar(term)[1:] for term in steps.terms)
    assert first == (LEFT, round(LEFT + 100 * unit, 1))
    assert second[0] == first[1]
    assert second[1] == RIGHT
    assert abs(third[0] - (LEFT + 120 * unit)) < 0.1
    assert bar(steps.score)[0] == "total"
    assert steps.clamp == ""


def test_a_clamped_score_has_a_bar_from_the_sum_to_the_score() -> None:
    steps = waterfall([40.0, -90.0], -50.0, 0.0)
    zero = LEFT + (RIGHT - LEFT) * 50 / 90
    name, start, end = bar(steps.clamp)
    assert name == "clamp"
    assert start == LEFT
    assert abs(end - zero) < 0.2
    assert bar(steps.returned)[1] == LEFT
    assert all(f'M{zero:.1f} 0V20"/>' in term for term in steps.terms)


def test_a_score_of_nothing_is_drawn() -> None:
    steps = waterfall([0.0], 0.0, 0.0)
    name, start, _end = bar(steps.terms[0])
    assert (name, start) == ("plus", WIDTH / 2)


def test_no_language_changes_coordinates() -> None:
    with translation.override("de"):
        german = waterfall([0.5, 0.25], 0.75, 0.75)
    assert german == waterfall([0.5, 0.25], 0.75, 0.75)
    assert "," not in "".join(german.terms)
