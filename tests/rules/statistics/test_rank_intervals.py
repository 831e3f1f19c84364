"""Rank intervals: worked examples, brute force, and drawn boards with known true ranks."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.statistics.parts import Floats, TaskParts
from leaderboard.rules.statistics.rank_intervals import (
    RankInterval,
    rank_intervals,
    ranks_by_tests,
)
from leaderboard.rules.statistics.redrawn import ranked, redrawn_ranks
from tests.rules.statistics.boards import HOLE, Kind, shuffled, small_boards, solving
from tests.rules.statistics.coverage_of_ranks import KINDS, bootstrap, coverage, of_boards

SEED = 44


def spans(intervals: list[RankInterval]) -> list[tuple[int | None, int | None]]:
    return [(interval.best, interval.worst) for interval in intervals]


def test_entries_that_are_far_apart_have_their_ranks() -> None:
    intervals = rank_intervals(solving(40, 28, 16, 4), seed=SEED)
    assert spans(intervals) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert [interval.first_share for interval in intervals] == [1.0, 0.0, 0.0, 0.0]


def test_entries_that_are_close_share_their_ranks() -> None:
    """Two close entries, then two close ones: 2 more tasks decide nothing, 18 more decide."""
    intervals = rank_intervals(solving(38, 36, 18, 16), seed=SEED)
    assert spans(intervals) == [(1, 2), (1, 2), (3, 4), (3, 4)]


def test_equal_entries_may_have_any_rank() -> None:
    intervals = rank_intervals(solving(20, 20, 20), seed=SEED)
    assert spans(intervals) == [(1, 3)] * 3
    assert [interval.first_share for interval in intervals] == [1.0] * 3


def test_one_entry_is_first() -> None:
    assert spans(rank_intervals(solving(20), seed=SEED)) == [(1, 1)]
    assert rank_intervals(TaskParts.of_values(np.empty((0, 9))), seed=SEED) == []


def test_fewer_than_8_tasks_exclude_no_rank() -> None:
    assert (
        rank_intervals(solving(7, 0, tasks=7), seed=SEED) == [RankInterval(reason="few_tasks")] * 2
    )
    assert rank_intervals(solving(0, tasks=0), seed=SEED) == [RankInterval(reason="no_samples")]


def test_an_entry_without_samples_may_have_any_rank() -> None:
    """So all others may be one rank lower, and the first ones one rank higher or not."""
    parts = solving(40, 20, 2)
    unknown = TaskParts.of_values(np.vstack([parts.task_values, np.full(40, HOLE)]))
    intervals = rank_intervals(unknown, seed=SEED, ranks=[1, 3, 4, 2])
    assert spans(intervals) == [(1, 2), (2, 3), (3, 4), (None, None)]
    assert intervals[3].reason == "no_samples"


def test_the_interval_contains_the_shown_rank() -> None:
    """Another rank key may have decided between equal values, or a rounded one."""
    intervals = rank_intervals(solving(40, 20, 2), seed=SEED, ranks=[2, 1, 3])
    assert spans(intervals) == [(1, 2), (1, 2), (3, 3)]


def test_a_lower_value_may_be_better() -> None:
    turned = TaskParts(solving(40, 20, 2).above, np.ones((3, 40)), "asc")
    assert spans(rank_intervals(turned, seed=SEED)) == [(3, 3), (2, 2), (1, 1)]


def test_the_same_version_has_the_same_intervals() -> None:
    dice = np.random.default_rng(2)
    parts = TaskParts.of_values(dice.random((9, 12)))
    assert rank_intervals(parts, seed=3) == rank_intervals(parts, seed=3)
    assert rank_intervals(parts, seed=3) != rank_intervals(parts, seed=4)


def test_a_draw_uses_the_same_tasks_for_all_entries() -> None:
    """An entry that is a little better on each task is first in every draw."""
    hard = np.random.default_rng(1).normal(0, 10, 30)
    drawn = redrawn_ranks(TaskParts.of_values(np.vstack([hard, hard + 0.01])), SEED)
    assert (drawn.best.tolist(), drawn.worst.tolist()) == ([2, 1], [2, 1])


def test_a_missing_task_does_not_count_as_zero() -> None:
    """The first entry lacks half of the tasks and solved the rest; missing tasks are not drawn."""
    values = [[1.0] * 20 + [HOLE] * 20, [1.0] * 30 + [0.0] * 10]
    drawn = redrawn_ranks(TaskParts.of_values(values), SEED)
    assert drawn.first[0] > 0.99


VALUES = st.lists(
    st.lists(st.sampled_from([0.0, 0.5, 1.0, -math.inf]), min_size=4, max_size=4),
    min_size=1,
    max_size=5,
)


@given(VALUES)
def test_ranks_are_counts_of_better_ones(rows: list[list[float]]) -> None:
    best, worst = ranked(np.array(rows))
    for row, low, high in zip(rows, best, worst, strict=True):
        assert low.tolist() == [1 + sum(other > value for other in row) for value in row]
        assert high.tolist() == [sum(other >= value for other in row) for value in row]


def test_draws_equal_those_of_a_plain_loop() -> None:
    """A loop that draws tasks one by one gives the same shares of first places."""
    dice = np.random.default_rng(8)
    values = dice.random((4, 10)).round(1)
    values[dice.random(values.shape) < 0.2] = HOLE
    drawn = redrawn_ranks(TaskParts.of_values(values), SEED, draws=4000)
    assert drawn.first == pytest.approx(slow_first_shares(values, 4000), abs=0.04)


def slow_first_shares(values: Floats, draws: int) -> list[float]:
    dice, wins = np.random.default_rng(99), Counter[int]()
    for _ in range(draws):
        picked = values[:, [int(dice.integers(10)) for _ in range(10)]]
        means = [float(np.nanmean(row)) for row in picked]
        wins.update(row for row, mean in enumerate(means) if mean >= max(means) - 1e-12)
    return [wins[row] / draws for row in range(len(values))]


@given(small_boards())
def test_an_interval_contains_the_rank_and_agrees_with_the_tests(parts: TaskParts) -> None:
    intervals = rank_intervals(parts, seed=SEED, draws=20)
    ranks = parts.ranks()
    tested = ranks_by_tests(parts, ranks)
    for row, interval in enumerate(intervals):
        if interval.reason:
            assert (interval.best, interval.worst) == (None, None)
            continue
        assert interval.best is not None
        assert interval.worst is not None
        assert 1 <= interval.best <= ranks[row] <= interval.worst <= parts.entries
        assert interval.best <= tested.best[row]
        assert tested.worst[row] <= interval.worst


@given(small_boards(), st.randoms())
def test_the_order_of_entries_does_not_matter(parts: TaskParts, dice: np.random.Generator) -> None:
    turned, order = shuffled(parts, dice)
    intervals = rank_intervals(parts, seed=SEED, draws=20)
    assert rank_intervals(turned, seed=SEED, draws=20) == [intervals[row] for row in order]


def test_groups_of_tasks_count_as_one() -> None:
    """Ten questions about each of eight texts: sums of groups, in the order of their numbers."""
    dice = np.random.default_rng(3)
    values = (dice.random((2, 80)) < 0.5).astype(float)
    parts = TaskParts.of_values(values)
    groups = np.arange(80) % 8
    by_group = TaskParts(parts.above, parts.below, clusters=groups).by_cluster()
    assert by_group.tasks.tolist() == [8, 8]
    assert by_group.below.tolist() == [[10.0] * 8] * 2
    assert by_group.values == pytest.approx(values.mean(axis=1))
    assert by_group.above[0, 3] == values[0, 3::8].sum()


def test_wrong_parts_are_refused() -> None:
    cases: list[tuple[list[list[float]], list[list[float]]]] = [
        ([[1.0]], [[1.0, 1.0]]),
        ([[math.nan]], [[1.0]]),
        ([[1.0]], [[0.0]]),
        ([[1.0]], [[-1.0]]),
    ]
    for above, below in cases:
        with pytest.raises(ValueError, match=r"^parts: "):
            TaskParts(np.array(above), np.array(below))


# Coverage.

BOARDS = 150
FEW_BY_LUCK = 4 * math.sqrt(0.95 * 0.05 / BOARDS)
"""Four standard errors of a share of 0.95: 0.07."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_intervals_contain_the_true_rank(kind: Kind) -> None:
    """In at least 95 of 100 boards, for the best entry and for the entry with the lowest share."""
    shares = coverage(kind, of_boards, BOARDS)
    assert shares.mean >= 0.95
    assert shares.best >= 0.95 - FEW_BY_LUCK / 2
    assert shares.lowest >= 0.95 - FEW_BY_LUCK


@pytest.mark.slow
def test_percentiles_of_draws_do_not_contain_the_true_rank_often_enough() -> None:
    """This is why the bootstrap is not enough."""
    shares = coverage(KINDS[0], bootstrap, BOARDS)
    assert shares.best < 0.85
