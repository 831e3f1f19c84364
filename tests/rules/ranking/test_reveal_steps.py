"""The steps of a reveal cover every place once, from the last to the first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.ranking.places import ranks
from leaderboard.rules.ranking.reveal_steps import SINGLY, TOGETHER, reveal_steps


def places(steps: list[range]) -> list[list[int]]:
    return [list(step) for step in steps]


def test_the_first_ten_come_one_at_a_time_and_the_others_together() -> None:
    steps = places(reveal_steps(range(1, 36)))
    assert steps[:2] == [list(range(15, 35)), list(range(10, 15))]
    assert steps[2:] == [[at] for at in reversed(range(10))]
    assert reveal_steps([]) == []
    assert places(reveal_steps([1])) == [[0]]


def test_equal_ranks_come_together() -> None:
    assert places(reveal_steps([1, 2, 2, 4])) == [[3], [1, 2], [0]]
    assert places(reveal_steps([1] * 4)) == [[0, 1, 2, 3]]


@given(st.lists(st.integers(0, 9), max_size=80))
def test_every_place_is_revealed_once_in_order(values: list[int]) -> None:
    all_ranks = list(ranks([bytes([value]) for value in sorted(values)]))
    steps = reveal_steps(all_ranks)
    assert [at for step in steps for at in reversed(step)] == list(reversed(range(len(all_ranks))))
    for step in steps:
        assert step.start == 0 or all_ranks[step.start - 1] != all_ranks[step.start]
        equal = len({all_ranks[at] for at in step}) == 1
        assert equal or len(step) <= TOGETHER or step.start >= SINGLY or len(set(all_ranks)) > 1
