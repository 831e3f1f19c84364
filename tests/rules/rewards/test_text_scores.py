"""The score of a text metric as the mean of its results for single instances."""

from __future__ import annotations

import pytest

from leaderboard.rules.rewards.finite_mean import finite_mean
from leaderboard.rules.rewards.text_scores import (
    TextMetricValue,
    first_key,
    mean_score,
    numbers_of,
)


def test_the_first_number_is_the_value() -> None:
    assert first_key({"how": "so", "b": 1.0, "a": 2.0}) == "b"
    assert first_key({"undefined": None, "a": 2.0}) == "undefined"
    assert first_key({"how": "so"}) is None


def test_a_bare_number_has_the_first_name() -> None:
    assert numbers_of(0.5, "f1") == {"f1": 0.5}
    assert numbers_of({"p": 1.0, "r": None}, "f1") == {"p": 1.0, "r": None}
    assert numbers_of(0.5, None) == {}


def test_each_number_is_the_mean_over_instances_that_have_it() -> None:
    cases: list[tuple[list[TextMetricValue], dict[str, object]]] = [
        ([1.0, None, 0.0], {"f1": 0.5, "how": "so", "r": None}),
        (
            [{"r": 1.0, "f1": 0.5}, {"r": None, "f1": 1.0}, None],
            {"f1": 0.75, "how": "so", "r": 1.0},
        ),
        ([{"r": 1.0, "other": 5.0}, 1.0], {"f1": 1.0, "how": "so", "r": 1.0}),
        ([0.1] * 10, {"f1": 0.1, "how": "so", "r": None}),
        ([], {"f1": None, "how": "so", "r": None}),
    ]
    for results, expected in cases:
        score = mean_score({"f1": 9.0, "how": "so", "r": 9.0}, results)
        assert score == expected, results
        assert list(score) == ["f1", "how", "r"], results


def test_without_a_number_there_is_no_mean() -> None:
    assert mean_score({"how": "so"}, [1.0]) == {"how": "so"}


def test_the_mean_of_large_numbers_does_not_overflow() -> None:
    cases: list[tuple[list[float], float]] = [
        ([1.5e308] * 9, 1.5e308),
        ([1e308, 1e308, -1e308, -1e308], 0.0),
        ([1.7e308] * 3, 1.7e308),
    ]
    for numbers, mean in cases:
        assert finite_mean(numbers) == pytest.approx(mean), numbers
        assert mean_score({"x": 1.0}, numbers) == {"x": pytest.approx(mean)}, numbers
