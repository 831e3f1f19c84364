"""Suggestions for misspelt names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.texts.nearest import edits, nearest

KNOWN = ["score", "rating", "mean_reward", "mean", "max", "pass_rate", "pass@K", "physics", "F1"]


def test_the_intended_name_is_found() -> None:
    cases: list[tuple[str, str]] = [
        ("mean_rewrad", "mean_reward"),
        ("mean-reward", "mean_reward"),
        ("MeanReward", "mean_reward"),
        ("meanreward", "mean_reward"),
        ("pyhsics", "physics"),
        ("physic", "physics"),
        ("ratnig", "rating"),
        ("meen", "mean"),
        ("f1", "F1"),
        ("pas@3", "pass@3"),
        ("pass@k", "pass@K"),
        ("Pass@3", "pass@3"),
        ("passrate", "pass_rate"),
    ]
    for name, meant in cases:
        assert nearest(name, KNOWN) == meant, name


def test_a_name_without_a_similar_one_has_no_suggestion() -> None:
    for name in (
        "score",
        "pass@3",
        "solved",
        "penalty_minutes",
        "pass_rate_2",
        "physics2",
        "total_cost",
        "mae",
        "min",
        "F2",
        "train_minutes",
        "x" * 500,
    ):
        assert nearest(name, KNOWN) is None, name


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_the_edit_distance_is_a_metric(one: str, other: str) -> None:
    assert edits(one, other) == edits(other, one)
    assert (edits(one, other) == 0) == (one == other)
    assert abs(len(one) - len(other)) <= edits(one, other) <= max(len(one), len(other))


def test_swapped_letters_are_one_edit() -> None:
    assert [edits("ab", "ba"), edits("abcd", "abxd"), edits("abc", "ab")] == [1, 1, 1]
