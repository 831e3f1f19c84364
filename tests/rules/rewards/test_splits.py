"""The split of tasks into a public and a private part."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.rewards.splits import HASHES, TaskPart, below_for, hash_of, split_of

NAMES = st.lists(st.text(max_size=20), min_size=2, max_size=60, unique=True)


def test_listed_tasks_are_public() -> None:
    split = split_of({"public": ["a", "c"]}, None)
    assert split is not None
    assert [name for name in "abcd" if split.takes(TaskPart.PUBLIC)(name)] == ["a", "c"]
    assert [name for name in "abcd" if split.takes(TaskPart.PRIVATE)(name)] == ["b", "d"]
    assert [name for name in "abcd" if split.takes(TaskPart.ALL)(name)] == list("abcd")


def test_a_challenge_without_a_split_has_none() -> None:
    assert split_of(None, None) is None


def test_a_hash_is_that_of_seed_and_name() -> None:
    # printf 'spring\0task-1' | sha256sum; half of the first 16 digits
    assert hash_of("spring", "task-1") == 0x23579E36ACF28962 // 2
    assert hash_of("spring", "task-1") != hash_of("autumn", "task-1")


@given(names=NAMES, share=st.floats(0.01, 0.99), seed=st.text(max_size=10))
def test_a_share_is_exact_and_leaves_no_part_empty(
    names: list[str], share: float, seed: str
) -> None:
    split = split_of({"share": share, "seed": seed}, below_for(share, seed, names))
    assert split is not None
    public = sum(map(split.is_public, names))
    assert public == min(max(round(share * len(names)), 1), len(names) - 1)


def test_without_names_the_share_is_a_probability() -> None:
    for share in (0.2, 0.5, 0.9):
        split = split_of({"share": share, "seed": "s"}, None)
        assert split is not None, share
        assert split.below == int(share * HASHES), share
        public = sum(split.is_public(f"task-{number}") for number in range(10_000))
        assert public == pytest.approx(share * 10_000, abs=200), share
