"""Metrics over a group of tasks, means over groups, and their coverage."""

from __future__ import annotations

import math
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.rewards.evidence import DeclaredTask, RewardEvidence, Sample
from leaderboard.rules.rewards.intervals import Estimate, mean_of_groups
from scorers.metrics.registry import shipped
from tests.rules.rewards_of import of_task_rewards, values_of

rewards = st.lists(st.integers(0, 10).map(float), max_size=3)
grouped = st.lists(st.tuples(st.sampled_from(["", "A", "B", "C"]), rewards), max_size=8)


def of_groups(tasks: list[tuple[str, list[float]]]) -> RewardEvidence:
    declared = [DeclaredTask(str(at), group=group) for at, (group, _) in enumerate(tasks)]
    return of_task_rewards(
        {str(at): task_rewards for at, (_, task_rewards) in enumerate(tasks)}, declared
    )


@given(grouped)
def test_a_metric_over_a_group_gets_only_its_tasks(tasks: list[tuple[str, list[float]]]) -> None:
    of_group = values_of(of_groups(tasks), {"type": "mean_reward", "group": "A"})["mean_reward"]
    inside = [task_rewards for group, task_rewards in tasks if group == "A"]
    means = [fmean(task_rewards) for task_rewards in inside if task_rewards]
    assert (of_group["defined"], of_group["total"]) == (len(means), len(inside))
    assert of_group["value"] == pytest.approx(fmean(means) if means else 0.0)


def test_a_metric_over_a_group_has_the_bounds_of_its_reward() -> None:
    rewards = [100.0, 100.0, 90.0, 100.0, 60.0, 100.0]
    evidence = RewardEvidence(
        [Sample(str(at), 0, {"x": reward}) for at, reward in enumerate(rewards)],
        [DeclaredTask(str(at), group="A") for at in range(6)],
        bounds={"x": (0.0, 100.0)},
    )
    for name in ("mean", "weighted_mean", "median"):
        of_group = values_of(evidence, {"type": name, "group": "A"})[name]
        assert of_group["interval"] is not None
        assert of_group["interval"][1] == 100.0
    over = values_of(evidence, {"type": "mean", "over": "groups"})["mean"]
    assert (over["interval"], over["interval_reason"]) == (None, "not_estimated")
    assert over["standard_error"] is not None


@given(grouped, st.sampled_from(["mean", "mean_reward", "sum", "pass@1"]))
def test_a_metric_over_groups_is_the_mean_of_the_groups_values(
    tasks: list[tuple[str, list[float]]], name: str
) -> None:
    over_groups = values_of(of_groups(tasks), {"type": name, "over": "groups"})[name]
    group_values = [
        shipped().get(name)().compute([rewards for group, rewards in tasks if group == label])
        for label in "ABC"
        if any(rewards for group, rewards in tasks if group == label)
    ]
    assert over_groups["value"] == (pytest.approx(fmean(group_values)) if group_values else None)
    assert over_groups["total"] == sum(group != "" for group, _ in tasks)
    assert over_groups["defined"] == sum(bool(group and rewards) for group, rewards in tasks)
    assert (over_groups["reason"] is None) == bool(group_values)


def test_the_standard_error_over_groups_is_that_of_strata() -> None:
    a, b = [1.0, 2.0, 4.0], [5.0, 9.0]
    tasks = [("A", [reward]) for reward in a] + [("B", [reward]) for reward in b]
    mean = values_of(of_groups(tasks), {"type": "mean_reward", "over": "groups"})["mean_reward"]
    variance = stdev(a) ** 2 / 3 + stdev(b) ** 2 / 2
    assert mean["standard_error"] == pytest.approx(math.sqrt(variance) / 2)
    assert mean["interval"] is None
    alone = mean_of_groups([Estimate(1.0, 3, 0.5), Estimate(2.0, 1)])
    assert alone == Estimate(1.5, 4, interval_reason="not_estimated")


def test_coverage_is_that_of_the_group() -> None:
    cases: list[tuple[float, bool]] = [(0.5, True), (2 / 3, True), (0.7, False)]
    for least, is_ranked in cases:
        tasks = [("A", [1.0]), ("A", [0.0]), ("A", []), ("B", [1.0])]
        entry = {"type": "mean", "group": "A", "min_coverage": least}
        of_group = values_of(of_groups(tasks), entry)["mean"]
        assert (of_group["defined"], of_group["total"]) == (2, 3), least
        assert ("not_ranked" not in of_group) == is_ranked, least


def test_tasks_declared_without_a_reward_do_not_lower_the_coverage() -> None:
    declared = [
        DeclaredTask("p1", ("physics",)),
        DeclaredTask("p2", ("physics",)),
        DeclaredTask("c1", ("chemistry",), "lab"),
        DeclaredTask("any"),
    ]
    evidence = RewardEvidence(
        [Sample("p1", 0, {"physics": 1.0}), Sample("c1", 0, {"chemistry": 0.5})], declared
    )
    physics = {"type": "mean", "name": "physics", "reward": "physics"}
    by_name = values_of(
        evidence,
        physics,
        physics | {"name": "diluted", "undefined": "zero"},
        physics | {"name": "of the lab", "group": "lab"},
    )
    assert (by_name["physics"]["defined"], by_name["physics"]["total"]) == (1, 3)
    assert (by_name["diluted"]["defined"], by_name["diluted"]["total"]) == (2, 4)
    lab = by_name["of the lab"]
    assert (lab["value"], lab["reason"], lab["total"]) == (None, "undefined", 0)
