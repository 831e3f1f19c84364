"""The names of metrics, and metrics with a number in their name."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.metrics.registry import Registry, register_metric, shipped
from tests.scorers.shipped_metrics import WorstTask, metric


def test_metrics_equal_worked_examples() -> None:
    cases: list[tuple[str, list[float], float]] = [
        ("pass@3:unbiased", [1, 1, 0, 0, 0], 0.9),
        ("pass^3:unbiased", [1, 1, 1, 1, 0], 0.4),
        ("pass@2:unbiased", [0, 0], 0.0),
        ("pass@1:unbiased", [1, 0, 0, 0], 0.25),
        ("pass^2:unbiased", [1, 0, 0], 0.0),
        ("pass@2", [0, 0, 1], 0.0),
        ("pass^2", [1, 1, 0], 1.0),
        ("pass@999999", [0, 0, 1], 1.0),
        ("pass^999999", [1, 1], 1.0),
    ]
    for name, rewards, expected in cases:
        assert metric(name).compute([rewards]) == pytest.approx(expected, abs=1e-12), name


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_the_estimators_are_means_over_all_subsets(passed: list[bool], k: int) -> None:
    draws = list(combinations(passed, k))
    rewards = [[float(has_passed) for has_passed in passed]]
    for name, solved in ((f"pass@{k}:unbiased", any), (f"pass^{k}:unbiased", all)):
        expected = sum(map(solved, draws)) / len(draws) if draws else None
        assert metric(name).compute(rewards) == pytest.approx(expected, abs=1e-12)


def test_each_number_makes_another_metric() -> None:
    three = shipped().get("pass@3")
    assert (three.name, three.k) == ("pass@3", 3)
    assert "first 3 samples" in (three.__doc__ or "")
    assert shipped().get("pass^12:unbiased").over == "tasks with at least 12 samples"
    assert shipped().get("pass@K".replace("K", "4")).k == 4


def test_the_error_for_an_unknown_metric_lists_the_known_ones() -> None:
    for name in (
        "pass@0",
        "pass@-1",
        "pass@03",
        "pass@",
        "pass@K",
        "pass@1.5",
        "pass^3:biased",
        "Mean",
    ):
        with pytest.raises(
            KeyError, match=re.escape("Available: avg, losses, max, mean")
        ) as caught:
            shipped().get(name)
        assert f"No metric registered under {name!r}" in str(caught.value), name


def test_the_name_is_that_of_the_decorator_or_the_attribute() -> None:
    registry = Registry()

    class Named:
        name = "its own"

    class Nameless:
        pass

    assert registry.register(Named) is Named
    registry.register(Nameless, "given")
    assert registry.get("given") is Nameless
    assert registry.names() == ["given", "its own"]
    with pytest.raises(ValueError, match="has no name"):
        registry.register(type("Other", (), {}))


def test_a_name_belongs_to_one_class() -> None:
    registry = Registry()
    registry.register(WorstTask)
    registry.register(WorstTask)
    other = type("OtherTask", (), {"name": "worst_task"})
    with pytest.raises(ValueError, match="already registered") as caught:
        registry.register(other)
    assert "WorstTask" in str(caught.value)
    assert "OtherTask" in str(caught.value)
    assert registry.get("worst_task") is WorstTask


def test_the_name_of_a_shipped_metric_cannot_be_registered_again() -> None:
    for name in ("mean", "pass@3", "pass@K", "pass^7:unbiased"):
        with pytest.raises(ValueError, match="already registered"):
            register_metric(name)(type("Mine", (), {}))
