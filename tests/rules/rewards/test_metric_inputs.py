"""The rewards that a metric sees: numbers only, by the policies for missing ones."""

from __future__ import annotations

from collections.abc import Collection
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.rewards.evidence import Policy, RewardEvidence, Sample
from scorers.metrics.mean import Mean
from scorers.metrics.mean_reward import MeanReward
from scorers.metrics.registry import shipped
from tests.rules.rewards_of import (
    NAMES,
    EvaluationDraft,
    attempt,
    attempts,
    declarations,
    declare,
    metric_rewards,
    samples_of,
)

POLICIES: tuple[Policy, ...] = get_args(Policy)
policies = st.sampled_from(POLICIES)


def test_a_metric_may_declare_how_missing_numbers_count() -> None:
    cases: list[tuple[Policy, Policy, list[list[float]]]] = [
        ("zero", "exclude", [[1.0, 0.0], [], [], [0.0]]),
        ("exclude", "exclude", [[1.0], [], [], []]),
        ("zero", "zero", [[1.0, 0.0], [0.0, 0.0], [], [0.0]]),
        ("exclude", "zero", [[1.0], [0.0], [], []]),
    ]
    for failed, undefined, expected in cases:
        evidence = attempt(
            {"a": [{"x": 1}, None], "b": [{"y": 1}, None], "c": [], "d": [{"x": None}]}
        )
        metric_input = evidence.metric_input("x", failed=failed, undefined=undefined)
        assert metric_input.task_rewards == expected, (failed, undefined)
        assert (metric_input.failed, metric_input.total) == (2, 4), (failed, undefined)


def test_a_reward_that_no_sample_has_is_undefined_under_any_policy() -> None:
    evidence = attempt({"a": [{"x": 1}], "b": [None]})
    assert evidence.metric_input("z", undefined="zero").nothing == "undefined"
    assert metric_rewards(evidence, "z", undefined="zero") == [[], []]


def test_without_reward_names_only_the_samples_count() -> None:
    evidence = attempt({"a": [None, None], "b": [None]})
    assert evidence.rewards == ()
    assert metric_rewards(evidence, None, undefined="zero") == [[0.0, 0.0], [0.0]]
    assert (evidence.metric_input(None).failed, evidence.metric_input(None).nothing) == (
        3,
        "failed",
    )
    assert attempt({"a": [{}]}).metric_input(None).nothing == "undefined"
    assert attempt({"a": []}).metric_input(None).nothing == "not_run"


def test_a_reward_declared_only_for_tasks_not_run_was_not_run() -> None:
    assert attempt({"a": [{"y": 1}]}, {"b": ["x"]}).metric_input("x").nothing == "not_run"


def counted(
    tasks: dict[str, list[EvaluationDraft]],
    declared: dict[str, list[str]],
    reward: str | None,
    undefined: Policy,
    reward_names: Collection[str],
) -> int:
    """Return the number of tasks that may have a reward: not declared without it, or with it
    anyway."""
    everything = {*tasks, *declared}
    if reward is None or undefined == "zero":
        return len(everything)
    bring = {
        name
        for name, samples in tasks.items()
        if any(reward in (rewards or ()) for rewards in samples)
    }
    silent = {task for task in everything if not declared.get(task)}
    owing = {task for task in declared if reward in declared[task]}
    return len(silent | owing | (bring if reward in reward_names else set()))


@given(attempts, declarations, policies, policies)
def test_metrics_get_only_numbers(
    tasks: dict[str, list[EvaluationDraft]],
    declared: dict[str, list[str]],
    failed: Policy,
    undefined: Policy,
) -> None:
    evidence = attempt(tasks, declared)
    for reward in (*evidence.rewards, "nobody has it", None):
        metric_input = evidence.metric_input(reward, failed=failed, undefined=undefined)
        assert (
            metric_input.total
            == len(metric_input.weights)
            == counted(tasks, declared, reward, undefined, evidence.rewards)
        )
        assert all(type(value) is float for task in metric_input.task_rewards for value in task)
        assert (metric_input.nothing is None) == any(metric_input.task_rewards)
        assert metric_input.packed.values.tolist() == [
            v for task in metric_input.task_rewards for v in task
        ]
        for name in shipped().names():
            shipped().get(name.replace("K", "2"))().compute(metric_input.task_rewards)
    for row in evidence.script_input(None, failed=failed, undefined=undefined).rows:
        assert all(type(value) is float for value in (row or {}).values())


@given(attempts, declarations, st.sampled_from(NAMES), st.sampled_from([Mean, MeanReward]))
def test_dropping_an_undefined_reward_never_changes_a_mean(
    tasks: dict[str, list[EvaluationDraft]],
    declared: dict[str, list[str]],
    reward: str,
    mean: type[Mean] | type[MeanReward],
) -> None:
    evidence = attempt(tasks, declared)
    states = zip(evidence.samples, evidence.cells(reward), strict=True)
    kept = [
        sample
        for ordered, cells in states
        for sample, cell in zip(ordered, cells, strict=True)
        if cell != "undefined"
    ]
    # Rewards are declared, so that they do not depend on the dropped samples.
    owed = {sample.task: [reward] for sample in kept}
    dropped = RewardEvidence(kept, declare(owed))
    assert mean().compute(metric_rewards(dropped, reward)) == mean().compute(
        metric_rewards(evidence, reward)
    )


@given(
    st.dictionaries(
        st.sampled_from("abcd"),
        st.lists(st.dictionaries(st.sampled_from(NAMES), st.integers(0, 8)), max_size=4),
        min_size=1,
    ),
    st.sampled_from(NAMES),
    st.sampled_from([Mean, MeanReward]),
    st.integers(0, 15),
    policies,
)
def test_a_failed_sample_never_raises_a_mean(
    tasks: dict[str, list[EvaluationDraft]],
    reward: str,
    mean: type[Mean] | type[MeanReward],
    where: int,
    undefined: Policy,
) -> None:
    samples = samples_of(tasks)
    task = sorted(tasks)[where % len(tasks)]
    before = mean().compute(metric_rewards(RewardEvidence(samples), reward, undefined=undefined))
    after = mean().compute(
        metric_rewards(
            RewardEvidence([*samples, Sample(task, 9, None)]), reward, undefined=undefined
        )
    )
    # Without a value before, a failed sample can at most make it 0.
    assert (after or 0.0) <= (before or 0.0) + 1e-12
