"""The geometry of strips of tasks and of sparklines."""

from __future__ import annotations

import re

from django.utils import translation

from leaderboard.pages.charts.sparkline import sparkline
from leaderboard.pages.charts.strip import (
    MOST_LINKS,
    WIDEST,
    Linked,
    StripTask,
    counts,
    paths,
    shape,
    shapes,
    width_of_strip,
)
from leaderboard.rules.ranking.board_summaries import FAILED, NOT_RUN, UNDEFINED

SOLVED = [100, 33, 0, FAILED, UNDEFINED, NOT_RUN]


def test_each_state_has_a_shape_that_the_page_defines() -> None:
    names = [shape(share) for share in SOLVED]
    assert names == ["full", "3", "none", "failed", "undefined", "not-run"]
    defined = {*re.findall(r'<g id="bar-([^"]*)"', shapes())}
    assert {*names, *map(str, range(1, 10))} <= defined
    assert [shape(share) for share in (1, 99)] == ["1", "9"]


def test_a_bar_is_a_link_that_names_its_task() -> None:
    tasks = [StripTask(f"t<{at}>", f"/task/?task={at}&x=1") for at in range(len(SOLVED))]
    strip = Linked(tasks, lambda task, solved: f"{task}: {solved}")
    svg = strip.drawn(SOLVED)
    assert svg.count('tabindex="-1"') == len(SOLVED)
    assert 'href="/task/?task=0&amp;x=1"' in svg
    assert "<title>t&lt;1&gt;: 33</title>" in svg
    assert re.findall(r'<use href="#bar-[^"]*" x="([^"]*)"', svg)[:3] == ["0", "6.5", "13"]
    assert 'aria-hidden="true"' in svg
    assert "style" not in svg
    assert strip.drawn(SOLVED) == svg


def test_many_tasks_are_one_path_for_each_state() -> None:
    svg = paths(SOLVED * 20)
    assert svg.count("<path") == 1 + 6
    assert "<a " not in svg
    heights = {
        name: float(re.search(rf'line bar-{name}" d="M[0-9.]+ [0-9.]+v-([0-9.]+)', svg)[1])  # type: ignore[index]
        for name in ("full", "partly", "none", "failed", "undefined", "not-run")
    }
    assert heights["full"] > heights["partly"] > heights["none"]
    assert len(re.findall(r"M[0-9.]+ 16v-16", svg)) == 2 * 20


def test_a_strip_never_becomes_too_wide() -> None:
    assert width_of_strip(MOST_LINKS) == 156.0
    assert width_of_strip(200) == WIDEST
    assert f'width="{WIDEST:.0f}"' in paths([100] * 200)


def test_states_are_counted_in_their_order() -> None:
    assert list(counts([0, 100, 50, 100])) == [("full", 2), ("partly", 1), ("none", 1)]


def test_a_sparkline_rises_to_its_best_value() -> None:
    with translation.override("de"):
        svg = sparkline([0, 50, 100])
    assert 'points="2.5,11.5 22,7 41.5,2.5"' in svg
    assert '<circle cx="41.5" cy="2.5" r="2"/>' in svg
