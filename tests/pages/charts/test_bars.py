"""Bars of a few values."""

from __future__ import annotations

from leaderboard.pages.charts.bars import bar, shares_of


def test_shares_are_those_of_the_largest_value() -> None:
    table: list[tuple[list[float | None], list[float | None]]] = [
        ([], []),
        ([4.0, 2.0, 0.0], [1.0, 0.5, 0.0]),
        ([4.0, None], [1.0, None]),
        ([4.0, -1.0], [None, None]),
        ([0.0, 0.0], [None, None]),
        ([None], [None]),
        ([1.7976931348623157e308, 0.0], [1.0, 0.0]),
    ]
    for values, shares in table:
        assert shares_of(values) == shares, values


def test_a_bar_begins_at_0_and_is_never_invisible() -> None:
    assert '<rect width="36" height="6" rx="1"/></svg>' in bar(0.5)
    assert '<rect width="1" height="6" rx="1"/></svg>' in bar(0.0)
    assert bar(None) == ""
