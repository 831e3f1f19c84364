"""How far entries solved tasks, as boards store it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from leaderboard.rules.ranking.board_summaries import (
    BINS,
    FAILED,
    MOST_TASKS,
    NOT_RUN,
    UNDEFINED,
    Activity,
    BoardSummary,
    Quartiles,
    percentage,
    strips_of,
    worth,
)


def test_a_part_of_a_task_is_neither_nothing_nor_all_of_it() -> None:
    cases: list[tuple[float, int]] = [
        (-1.0, 0),
        (0.0, 0),
        (1e-6, 1),
        (1 / 3, 33),
        (0.999, 99),
        (1.0 - 1e-12, 100),
        (2.0, 100),
    ]
    for share, expected in cases:
        assert percentage(share) == expected, share


def test_a_failed_task_counts_zero_and_others_nothing() -> None:
    assert [worth(reward) for reward in (40, FAILED, UNDEFINED, NOT_RUN)] == [40, 0, None, None]


def test_tasks_keep_their_order_and_missing_ones_were_not_run() -> None:
    strips = strips_of("mean", {"a": {"one": 100, "two": 50}, "b": {"three": 0, "one": FAILED}})
    assert strips is not None
    assert strips.tasks == ["one", "two", "three"]
    assert strips.solved == {"a": [100, 50, NOT_RUN], "b": [FAILED, NOT_RUN, 0]}
    assert strips.medians() == [50.0, 50.0, 0.0]
    assert not strips.is_binned


def test_there_are_no_strips_without_tasks() -> None:
    assert strips_of("mean", {}) is None
    assert strips_of("mean", {"a": {}}) is None


def test_many_tasks_become_bins_the_easiest_first() -> None:
    tasks = 2 * MOST_TASKS
    easy = {f"t{at}": 100 if at % 2 else 0 for at in range(tasks)}
    strips = strips_of("mean", {"a": easy, "b": dict.fromkeys(easy, UNDEFINED)})
    assert strips is not None
    assert strips.is_binned
    assert strips.count == tasks
    assert strips.solved == {"a": [100] * 50 + [0] * 50, "b": [UNDEFINED] * BINS}


def test_a_summary_is_stored_as_json() -> None:
    summary = BoardSummary(
        strips_of("mean", {"a": {"one": 100}}),
        {7: [0, 100]},
        {"mean": Quartiles(0.25, 0.5, 0.75, 9)},
        Activity(12, datetime(2026, 11, 23, 9, 5, tzinfo=UTC), 3),
    )
    for original in (summary, BoardSummary()):
        stored = json.loads(json.dumps(original.as_json()))
        assert BoardSummary.of_json(stored).as_json() == original.as_json()
        assert BoardSummary.of_json(stored).activity == original.activity
