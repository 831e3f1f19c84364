"""Statistical groups: worked examples, and agreement with the verdict."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from leaderboard.rules.statistics.groups import StatisticalGroup, statistical_groups
from leaderboard.rules.statistics.parts import TaskParts
from leaderboard.rules.statistics.verdicts import verdict
from tests.rules.statistics.boards import HOLE, small_boards, solving


def grouped(parts: TaskParts) -> list[tuple[int, ...]]:
    return [
        statistical_group.members
        for statistical_group in statistical_groups(parts, parts.ranks().tolist())
    ]


def test_two_pairs_are_two_groups() -> None:
    assert grouped(solving(16, 38, 36, 18)) == [(1, 2), (3, 0)]


def test_equal_entries_are_one_group_of_first_entries() -> None:
    groups = statistical_groups(solving(20, 20, 20), [1, 1, 1])
    assert groups == (StatisticalGroup((0, 1, 2), (0, 1, 2)),)


def test_being_indistinguishable_is_not_transitive() -> None:
    """A chain: neighbours differ on 4 tasks, and the third from the first on 8."""
    assert grouped(solving(40, 36, 32, 28)) == [(0, 1), (2, 3)]


def test_one_entry_is_a_group_and_no_entry_is_none() -> None:
    assert grouped(solving(3)) == [(0,)]
    assert statistical_groups(TaskParts.of_values(np.empty((0, 9))), []) == ()


def test_an_entry_without_samples_is_in_the_first_group() -> None:
    """Nothing distinguishes it from the others, at any rank."""
    task_values = solving(40, 2).task_values
    parts = TaskParts.of_values(np.vstack([task_values, np.full(40, HOLE)]))
    groups = statistical_groups(parts, [1, 3, 2])
    assert [group.members for group in groups] == [(0, 2), (1,)]


@given(small_boards())
def test_groups_are_a_partition_and_the_first_is_that_of_the_verdict(parts: TaskParts) -> None:
    ranks = parts.ranks().tolist()
    groups = statistical_groups(parts, ranks)
    members = [row for group in groups for row in group.members]
    assert sorted(members) == list(range(parts.entries))
    assert all(set(group.first) <= set(group.members) for group in groups)
    heads = [ranks[group.first[0]] for group in groups]
    assert heads == sorted(set(heads))
    if not np.isnan(parts.values).any():
        board_verdict = verdict(parts, values=parts.values.tolist(), ranks=ranks)
        if board_verdict.state in ("not_told_apart", "clear_lead"):
            assert set(groups[0].members) == {*board_verdict.leaders, *board_verdict.not_told_apart}
