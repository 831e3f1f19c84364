"""Paired comparisons: published numbers, worked examples, and the fast code against a slow one."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.rewards.distributions import student_t
from leaderboard.rules.statistics.comparisons import Comparison, compare
from leaderboard.rules.statistics.pairwise import MIN_SHARED, PairBlock, Pairs
from leaderboard.rules.statistics.parts import TaskParts
from leaderboard.rules.statistics.probabilities import holm
from tests.rules.statistics.boards import HOLE, issue_pair, shuffled, small_boards


def all_pairs(parts: TaskParts) -> PairBlock:
    return Pairs(parts).block(np.arange(parts.entries))


def test_a_mcnemar_test_equals_a_published_one() -> None:
    """Of 100 tasks, 15 are solved by the first only, and 5 by the second only."""
    comparison = compare(issue_pair())
    assert comparison.difference == pytest.approx(0.10, abs=1e-15)
    assert comparison.standard_error == pytest.approx(0.0438086, abs=5e-8)
    assert comparison.p == pytest.approx(0.0413895, abs=5e-8)
    assert (comparison.test, comparison.only_first, comparison.only_second) == ("mcnemar", 15, 5)
    reach = student_t(99) * 0.04380858
    assert comparison.interval == pytest.approx((0.10 - reach, 0.10 + reach), abs=1e-8)


def test_rewards_other_than_0_and_1_have_students_test() -> None:
    """scipy.stats.ttest_rel of the same numbers: t = 2.443389, 9 tasks shared."""
    first = [0.9, 0.5, 0.7, 0.2, 0.8, 1.0, 0.4, 0.6, 0.9, HOLE, 0.3]
    second = [0.7, 0.5, 0.6, 0.3, 0.5, 0.9, 0.4, 0.5, 0.6, 1.0, HOLE]
    comparison = compare(TaskParts.of_values([first, second]))
    differences = [a - b for a, b in zip(first[:9], second[:9], strict=True)]
    assert comparison.shared == 9
    assert comparison.difference == pytest.approx(statistics.fmean(differences))
    assert comparison.standard_error == pytest.approx(statistics.stdev(differences) / 3)
    assert (comparison.test, comparison.only_first) == ("t", None)
    assert comparison.p == pytest.approx(0.0403506528, abs=2e-8)


def test_pooled_samples_are_weighted_by_their_number() -> None:
    """A ratio of sums: the first 8 of 16 samples, the second 6 of 16; the error by its formula."""
    above = np.array([[2, 0, 3, 1, 0, 1, 0, 1], [1, 0, 3, 0, 0, 1, 0, 1]], dtype=float)
    below = np.array([[2, 1, 3, 4, 1, 2, 1, 2], [2, 1, 3, 4, 1, 2, 1, 2]], dtype=float)
    comparison = compare(TaskParts(above, below))
    moved = (above[0] - 0.5 * below[0]) / 16 - (above[1] - 0.375 * below[1]) / 16
    assert comparison.difference == pytest.approx(0.125)
    assert comparison.standard_error == pytest.approx(math.sqrt(8 / 7 * float(moved @ moved)))
    assert comparison.test == "t"


def test_a_smaller_value_may_be_better() -> None:
    """The difference is first minus second in both cases."""
    times = [[1.0, 2.0, 3.0, 2.0, 1.0, 2.0, 3.0, 2.5], [2.0, 4.0, 4.0, 3.0, 2.0, 5.0, 4.0, 3.0]]
    falling, rising = (
        compare(TaskParts.of_values(times, direction)) for direction in ("asc", "desc")
    )
    assert falling == rising
    assert (falling.difference or 0) < 0
    block = all_pairs(TaskParts.of_values(times, "asc"))
    assert block.leads[0, 1] == pytest.approx(-(falling.difference or 0))
    assert block.better.tolist() == [[False, True], [False, False]]


def test_too_few_shared_tasks_have_only_a_difference() -> None:
    values = [[1.0] * 7 + [HOLE] * 3, [0.5, 0.0] * 5]
    comparison = compare(TaskParts.of_values(values))
    assert (comparison.shared, comparison.reason) == (7, "few_shared_tasks")
    assert (comparison.interval, comparison.p) == (None, None)
    assert comparison.difference == pytest.approx(1 - 2 / 7)
    apart = compare(TaskParts.of_values([[1.0, HOLE], [HOLE, 1.0]]))
    assert apart == Comparison(0, None, reason="few_shared_tasks")
    single = compare(TaskParts.of_values([[1.0], [0.0]]))
    assert (single.shared, single.difference, single.standard_error) == (
        1,
        1.0,
        None,
    )


def test_a_constant_difference_has_the_sign_test() -> None:
    """Without spread there is no interval, and never ± 0."""
    for by in (0.1, -0.3):
        base = np.linspace(0, 1, 9)
        comparison = compare(TaskParts.of_values(np.vstack([base + by, base])))
        assert comparison.difference == pytest.approx(by), by
        assert (comparison.test, comparison.reason, comparison.interval) == (
            "sign",
            "no_spread",
            None,
        ), by
        assert comparison.p == 2 * 0.5**9, by


def test_equal_entries_have_no_difference() -> None:
    base = [0.1, 0.2, 0.3, 0.7, 0.5, 0.9, 0.8, 0.15]
    comparison = compare(TaskParts.of_values([base, base]))
    assert (comparison.difference, comparison.p, comparison.interval) == (0.0, 1.0, None)


def test_a_clear_mcnemar_has_an_interval_without_zero() -> None:
    """The text and the picture agree: for all pairs of 0/1 rewards over 8 to 24 tasks."""
    for tasks in range(8, 25):
        for first in range(tasks + 1):
            for second in range(min(first, tasks - first + 1)):
                equal = [0.0] * (tasks - first - second)
                values = [[1.0] * first + [0.0] * second + equal]
                values.append([0.0] * first + [1.0] * second + equal)
                comparison = compare(TaskParts.of_values(values))
                if (comparison.p or 0) < 0.05 and comparison.interval:
                    assert comparison.interval[0] > 0.0, (tasks, first, second)


@given(small_boards())
def test_all_pairs_together_equal_single_pairs(parts: TaskParts) -> None:
    whole = all_pairs(parts)
    for first in range(parts.entries):
        for second in range(parts.entries):
            if first != second:
                check_pair(parts, whole, first, second)
    assert holm(whole.p) == pytest.approx(whole.corrected, nan_ok=True)


def check_pair(parts: TaskParts, block: PairBlock, first: int, second: int) -> None:
    """Check one pair by the definitions, without any matrix product."""
    shared_tasks = parts.has[first] & parts.has[second]
    shared = int(shared_tasks.sum())
    assert block.shared[first, second] == shared
    if not shared:
        assert math.isnan(block.leads[first, second])
        return
    sign = -1 if parts.direction == "asc" else 1
    moved = np.zeros(shared)
    values = []
    for row, side in ((first, 1), (second, -1)):
        a, b = parts.above[row, shared_tasks], parts.below[row, shared_tasks]
        values.append(a.sum() / b.sum())
        moved += side * (a - values[-1] * b) / b.sum()
    lead = sign * (values[0] - values[1])
    assert block.leads[first, second] == pytest.approx(lead, abs=1e-9)
    if shared > 1:
        error = math.sqrt(shared / (shared - 1) * float(moved @ moved))
        assert block.errors[first, second] == pytest.approx(error, abs=1e-7)
    assert math.isnan(block.p[first, second]) == (shared < MIN_SHARED)


@given(small_boards(), st.randoms())
def test_the_order_of_entries_does_not_matter(parts: TaskParts, dice: np.random.Generator) -> None:
    turned, order = shuffled(parts, dice)
    in_order, reordered = all_pairs(parts), all_pairs(turned)
    for name in ("leads", "errors", "p", "corrected"):
        expected = getattr(in_order, name)[np.ix_(order, order)]
        assert getattr(reordered, name) == pytest.approx(expected, abs=1e-9, nan_ok=True)


@given(small_boards())
def test_a_pair_is_symmetric(parts: TaskParts) -> None:
    block = all_pairs(parts)
    assert block.leads == pytest.approx(-block.leads.T, abs=1e-12, nan_ok=True)
    assert block.p == pytest.approx(block.p.T, abs=1e-9, nan_ok=True)


@given(small_boards(), st.sampled_from([-3.0, 0.5, 100.0]))
def test_a_shift_of_all_values_changes_nothing(parts: TaskParts, by: float) -> None:
    """p may change if 0 and 1 become other numbers, since those use Student's test."""
    moved = TaskParts(parts.above + by * parts.below, parts.below, parts.direction)
    before, after = all_pairs(parts), all_pairs(moved)
    assert after.leads == pytest.approx(before.leads, abs=1e-9, nan_ok=True)
    assert after.errors == pytest.approx(before.errors, abs=1e-6, nan_ok=True)
    if not Pairs(parts).are_shares.any():
        assert after.p == pytest.approx(before.p, abs=1e-6, nan_ok=True)


def test_blocks_together_equal_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = np.random.default_rng(5)
    values = dice.random((30, 20))
    values[dice.random(values.shape) < 0.2] = HOLE
    parts = TaskParts.of_values(values)
    whole = all_pairs(parts)
    monkeypatch.setattr("leaderboard.rules.statistics.pairwise._AT_ONCE", 200)
    pieces = list(Pairs(parts).blocks())
    assert [len(piece.rows) for piece in pieces] == [6] * 5
    assert np.vstack([piece.p for piece in pieces]) == pytest.approx(whole.p, nan_ok=True)
    assert np.array_equal(np.vstack([piece.better for piece in pieces]), whole.better)
