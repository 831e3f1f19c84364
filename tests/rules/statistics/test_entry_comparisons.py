"""Comparisons of two entries by each metric."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from leaderboard.rules.rewards.distributions import student_t
from leaderboard.rules.statistics.entry_comparisons import (
    Ratio,
    compare_metrics,
    differing_tasks,
    ratio,
    sentence,
)
from leaderboard.rules.statistics.parts import TaskParts
from tests.rules.statistics.boards import HOLE, issue_pair, small_boards

COSTS = TaskParts.of_values(
    [[2.0, 4.0, 2.0, 8.0, 2.0, 4.0, 2.0, 8.0], [1.0, 2.0, 1.0, 4.0, 2.0, 2.0, 1.0, 3.0]], "asc"
)


def test_metrics_are_corrected_together() -> None:
    """0.0414 is certain for one metric; of two it is the larger p value and counts; of three equal
    ones it is not."""
    alone = compare_metrics({"solved": issue_pair()})["solved"]
    assert (alone.better, alone.corrected) == ("first", alone.comparison.p)
    two = compare_metrics({"solved": issue_pair(), "cost": COSTS})
    assert two["solved"].better == "first"
    assert two["cost"].better == "second"
    three = compare_metrics({name: issue_pair() for name in "abc"})
    assert [comparison.better for comparison in three.values()] == [None] * 3
    assert three["a"].corrected == pytest.approx(3 * 0.0413894653)


def test_a_metric_that_cannot_be_compared_does_not_count() -> None:
    few = TaskParts.of_values([[1.0] * 7, [0.0] * 7])
    compared = compare_metrics({"solved": issue_pair(), "few": few})
    assert compared["solved"].corrected == compared["solved"].comparison.p
    assert (compared["few"].corrected, compared["few"].better) == (None, None)


def test_the_tasks_with_the_largest_differences_are_listed() -> None:
    """The largest difference comes first, then the column; missing tasks do not count."""
    values = [[1.0, 0.5, HOLE, 0.1 + 0.2, 0.0], [1.0, 0.0, 1.0, 0.3, 1.0]]
    assert differing_tasks(TaskParts.of_values(values)).tolist() == [4, 1]
    assert len(differing_tasks(issue_pair())) == 20


def test_costs_are_compared_by_their_ratio() -> None:
    """32 to 16; the interval is symmetric on the scale of the logarithm."""
    cost_ratio = ratio(COSTS)
    assert cost_ratio is not None
    assert cost_ratio.value == 2.0
    assert cost_ratio.interval is not None
    without = np.log((32 - COSTS.above[0]) / (16 - COSTS.above[1]))
    error = math.sqrt(7 / 8 * float(np.sum((without - math.log(2)) ** 2)))
    # Σ w² = 0.16 over the shares of the tasks: they count like 6, with 5 degrees of freedom.
    assert math.log(cost_ratio.interval[1] / 2.0) == pytest.approx(student_t(5) * error)
    assert cost_ratio.interval[0] * cost_ratio.interval[1] == pytest.approx(4.0)


def test_a_ratio_may_have_no_interval() -> None:
    assert ratio(TaskParts.of_values([[2.0] * 9, [1.0] * 9])) == Ratio(2.0)
    assert ratio(TaskParts.of_values([[2.0] * 7, [1.0] * 6 + [2.0]])) == Ratio(14 / 8)
    assert ratio(TaskParts.of_values([[3.0], [1.0]])) == Ratio(3.0)
    assert ratio(TaskParts.of_values([[900.0] + [2.0] * 9, [800.0] + [1.0] * 9])) == Ratio(
        918 / 809
    )
    assert ratio(TaskParts.of_values([[0.0] * 9, [1.0] * 9])) is None
    assert ratio(TaskParts.of_values([[1.0, HOLE], [HOLE, 1.0]])) is None


def test_a_ratio_covers_the_tasks_that_both_have() -> None:
    shared_ratio = ratio(TaskParts.of_values([[2.0, 2.0, 90.0], [1.0, 3.0, HOLE]]))
    assert shared_ratio == Ratio(1.0)


def test_comparisons_have_a_text() -> None:
    cases: list[tuple[TaskParts, str]] = [
        (issue_pair(), "A is better by 0.1 on 100 tasks."),
        (COSTS, "B is better by 2 on 8 tasks."),
        (
            TaskParts.of_values([[1.0, 0.0] * 8, [1.0, 0.0] * 7 + [0.0, 0.0]]),
            "A and B cannot be told apart on 16 tasks: they differ by 0.0625.",
        ),
        (
            TaskParts.of_values([[1.0] * 7, [0.0] * 7]),
            "7 shared tasks are too few to tell A and B apart.",
        ),
        (TaskParts.of_values([[1.0, HOLE], [HOLE, 1.0]]), "A and B share no task."),
    ]
    for parts, words in cases:
        assert sentence(compare_metrics({"it": parts})["it"], ("A", "B")) == words, parts


@given(small_boards())
def test_a_comparison_can_be_reversed(parts: TaskParts) -> None:
    if parts.entries < 2:
        return
    pair = TaskParts(parts.above[:2], parts.below[:2], parts.direction)
    turned = TaskParts(parts.above[1::-1], parts.below[1::-1], parts.direction)
    ahead, back = (compare_metrics({"it": task_parts})["it"] for task_parts in (pair, turned))
    opposite = {"first": "second", "second": "first", None: None}
    assert opposite[ahead.better] == back.better
    assert ahead.differing == back.differing
    if ahead.ratio and back.ratio:
        assert ahead.ratio.value * back.ratio.value == pytest.approx(1.0)
    if ahead.comparison.difference is not None:
        assert back.comparison.difference == pytest.approx(-ahead.comparison.difference, abs=1e-12)


@pytest.mark.slow
def test_the_interval_of_a_ratio_contains_the_true_ratio() -> None:
    """In 95 of 100 cases, also over 12 tasks of which one or two cost as much as all others."""
    for spread in (0.3, 1.5):
        dice = np.random.default_rng(6)
        held, boards = 0, 1500
        for _ in range(boards):
            sizes = np.exp(dice.normal(0, spread, 12))
            costs = sizes * np.exp(dice.normal(0, 0.3, (2, 12))) * np.array([[2.0], [1.0]])
            result = ratio(TaskParts.of_values(costs))
            assert result is not None, spread
            held += result.interval is None or result.interval[0] <= 2.0 <= result.interval[1]
        assert held / boards >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / boards), spread
