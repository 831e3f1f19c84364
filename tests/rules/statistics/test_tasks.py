"""Tasks: solve rates and discrimination, by worked examples and against the usual correlation."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.statistics.parts import TaskParts
from leaderboard.rules.statistics.tasks import task_statistics
from tests.rules.statistics.boards import HOLE, shuffled, small_boards

BOARD = [
    [1.0, 1.0, 1.0, 0.0, 1.0],
    [1.0, 1.0, 0.5, 0.0, HOLE],
    [1.0, 1.0, 0.0, 0.0, 0.0],
    [1.0, 0.0, 0.5, 0.0, 0.0],
    [1.0, 0.0, 0.0, 1.0, 1.0],
]


def test_a_task_has_the_share_of_entries_that_solved_it() -> None:
    tasks = task_statistics(TaskParts.of_values(BOARD), np.array(BOARD) == 1.0)
    assert [task.entries for task in tasks] == [5, 5, 5, 5, 4]
    assert [task.solved for task in tasks] == [5, 3, 1, 1, 2]
    assert [task.mean for task in tasks] == [1.0, 0.6, 0.4, 0.2, 0.5]


def test_a_task_that_no_entry_ran_has_no_numbers() -> None:
    [task] = task_statistics(TaskParts.of_values([[HOLE], [HOLE]]))
    assert (task.entries, task.mean, task.solved) == (0, None, None)
    assert (task.discrimination, task.reason) == (None, "few_entries")


def test_discrimination_is_the_correlation_with_the_other_tasks() -> None:
    whole = [row[:4] for row in BOARD]
    tasks = task_statistics(TaskParts.of_values(whole))
    for task in range(1, 4):
        own = [row[task] for row in whole]
        rest = [(sum(row) - row[task]) / 3 for row in whole]
        expected = statistics.correlation(own, rest)
        assert tasks[task].discrimination == pytest.approx(expected)
    assert (tasks[0].discrimination, tasks[0].reason) == (None, "all_equal")
    assert (tasks[3].discrimination or 0) < 0


def test_discrimination_follows_the_direction_of_the_metric() -> None:
    times = TaskParts.of_values([[value, 2 * value, value + 1] for value in range(1, 7)])
    turned = TaskParts(times.above, times.below, "asc")
    for parts in (times, turned):
        assert [
            task_statistic.discrimination for task_statistic in task_statistics(parts)
        ] == pytest.approx([1.0] * 3)


def test_four_entries_are_too_few_for_a_discrimination() -> None:
    tasks = task_statistics(TaskParts.of_values(BOARD))
    assert (tasks[4].discrimination, tasks[4].reason) == (None, "few_entries")
    assert tasks[1].reason is None


def test_an_entry_that_ran_only_hard_tasks_does_not_count_as_weak() -> None:
    """Two halves, each run by six entries, and a task that all ran; abilities are the same in
    both, so the task separates as well as if there were one half."""
    ability = np.linspace(0, 1, 6)[:, np.newaxis]
    easy, hard = np.repeat(ability + 5, 4, axis=1), np.repeat(ability - 5, 4, axis=1)
    hole = np.full((6, 4), HOLE)
    values = np.block([[easy, hole, ability], [hole, hard, ability]])
    assert task_statistics(TaskParts.of_values(values))[-1].discrimination == pytest.approx(1.0)


@given(small_boards())
def test_discrimination_is_a_correlation_or_has_a_reason(parts: TaskParts) -> None:
    for task_statistic in task_statistics(parts):
        assert (task_statistic.discrimination is None) == (task_statistic.reason is not None)
        assert task_statistic.discrimination is None or -1.0 <= task_statistic.discrimination <= 1.0


@given(small_boards(), st.randoms())
def test_the_order_of_entries_does_not_matter(parts: TaskParts, dice: np.random.Generator) -> None:
    turned, _ = shuffled(parts, dice)
    for task, again in zip(task_statistics(parts), task_statistics(turned), strict=True):
        assert (again.entries, again.solved, again.reason) == (
            task.entries,
            task.solved,
            task.reason,
        )
        assert again.discrimination == (task.discrimination and pytest.approx(task.discrimination))
