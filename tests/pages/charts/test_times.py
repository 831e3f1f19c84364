"""Axes of time have their ticks at the beginnings of days, months and years."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.pages.charts.times import time_scale_of, time_texts

START = datetime(2026, 11, 3, 9, 7, tzinfo=UTC)


def test_ticks_are_round_moments() -> None:
    for length, texts in (
        (timedelta(seconds=8), ["09:07:00", "09:07:05"]),
        (timedelta(minutes=40), ["09:15", "09:30", "09:45"]),
        (timedelta(hours=20), ["12:00", "18:00", "4 Nov"]),
        (timedelta(days=5), ["5 Nov", "7 Nov"]),
        (timedelta(days=30), ["9 Nov", "16 Nov", "23 Nov", "30 Nov"]),
        (timedelta(days=200), ["Jan 2027", "Apr 2027"]),
        (timedelta(days=2000), ["2028", "2030", "2032"]),
    ):
        moments = [START.timestamp(), (START + length).timestamp()]
        assert time_texts(time_scale_of(moments, 0, 600, most=5)) == texts, length


@given(st.lists(st.floats(0, 4e9), min_size=1, max_size=5), st.integers(3, 9))
def test_every_moment_is_on_the_axis(moments: list[float], most: int) -> None:
    scale = time_scale_of(moments, 10, 500, most)
    assert 1 <= len(scale.ticks) <= 2 * most + 2
    assert all(10 <= scale.at(moment) <= 500 for moment in moments)
    assert all(10 <= scale.at(tick) <= 500 for tick in scale.ticks)
    assert len(time_texts(scale)) == len(scale.ticks)
