"""Metrics equal those of EvSys, Harbor and verifiers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from leaderboard.rules.rewards.evidence import RewardEvidence, Sample
from leaderboard.rules.rewards.reductions import metric_values
from leaderboard.schemas.harbor import parse_harbor_metrics
from leaderboard.schemas.metrics import MetricSpec
from scorers.metrics.registry import Registry, shipped
from tests.helpers.vectors import vectors
from tests.rules.rewards_of import no_script, shipped_metric
from tests.scorers.shipped_metrics import WorstTask, metric


def test_metrics_equal_those_of_evsys() -> None:
    for vector in vectors("evsys_metrics"):
        given, expected = vector["input"], vector["expected"]["value"]
        value = metric(given["metric"]).compute(given["task_rewards"])
        assert value == pytest.approx(expected, abs=vector["tolerance"]), vector["name"]


def evsys_names() -> set[str]:
    return {vector["input"]["metric"] for vector in vectors("evsys_metrics")}


def test_the_registry_behaves_like_that_of_evsys() -> None:
    for vector in vectors("evsys_registry"):
        registry = Registry()
        for name in evsys_names():
            registry.register(shipped().get(name), name)
        registry.register(WorstTask)
        if "task_rewards" in vector["input"]:
            made = registry.get("worst_task")()
            value = made.compute(vector["input"]["task_rewards"])
            assert value == pytest.approx(vector["expected"]["value"], abs=vector["tolerance"])
        else:
            assert registry.names() == vector["expected"]["value"], vector["name"]


def test_evsys_metrics_are_zero_without_samples() -> None:
    empty: list[list[list[float]]] = [[], [[]], [[], []]]
    for name in sorted(evsys_names()):
        assert [metric(name).compute(tasks) for tasks in empty] == [0.0] * 3, name


def test_only_a_reward_of_one_passes() -> None:
    cases: list[tuple[float, bool]] = [
        (1.0, True),
        (1, True),
        (2.5, True),
        (0.9999999999999999, False),
        (math.inf, True),
    ]
    for reward, passes in cases:
        assert (
            metric("pass@1").compute([[reward]])
            == metric("pass_rate").compute([[reward]])
            == passes
        ), reward


def test_a_value_that_is_no_number_is_an_error_of_the_metric() -> None:
    wrong: Any = [[1.0, None]]
    with pytest.raises(TypeError):
        metric("pass_rate").compute(wrong)
    assert metric("pass@1").compute(wrong) == 1.0


def harbor_values(spec: MetricSpec, rewards: Sequence[dict[str, float] | None]) -> dict[str, Any]:
    """Return Harbor's values for one trial of each task; several rewards are keyed by their
    names."""
    evidence = RewardEvidence([Sample(str(n), 0, reward) for n, reward in enumerate(rewards)])
    values = metric_values(evidence, [spec], shipped_metric, no_script)
    return {key.partition(":")[2] or key: value["value"] for key, value in values.items()}


def test_metrics_equal_those_of_harbor() -> None:
    for vector in vectors("harbor_metrics"):
        given = vector["input"]
        entry = {"type": given["metric"]} if given["metric"] else {}
        (spec,) = parse_harbor_metrics([entry])
        assert harbor_values(spec, given["rewards"]) == pytest.approx(
            vector["expected"]["value"], abs=vector["tolerance"]
        ), vector["name"]


def test_pass_at_k_equals_that_of_harbor() -> None:
    for vector in vectors("harbor_pass_at_k"):
        evidence = RewardEvidence(
            Sample(trial["task"], number, trial.get("rewards"))
            for number, trial in enumerate(vector["input"]["trials"])
        )
        expected = vector["expected"]["value"].get("a1__ds", {})
        task_rewards = evidence.metric_input("reward").task_rewards
        for k, value in expected.items():
            value = metric(f"pass@{k}:unbiased").compute(task_rewards)
            assert value == pytest.approx(value, abs=vector["tolerance"]), vector["name"]
        beyond = max(map(len, task_rewards)) + 1
        assert str(beyond) not in expected, vector["name"]
        assert metric(f"pass@{beyond}:unbiased").compute(task_rewards) is None, vector["name"]


def test_pass_at_k_equals_that_of_verifiers() -> None:
    for vector in vectors("verifiers_pass_at_k"):
        tasks: dict[int, list[float]] = {}
        for row in vector["input"]["rows"]:
            tasks.setdefault(row["example_id"], []).append(row["reward"])
        task_rewards = list(tasks.values())
        for field, name in (("pass_at_k", "pass@{}:unbiased"), ("pass_all_k", "pass^{}:unbiased")):
            for k, value in vector["expected"]["value"][field].items():
                value = metric(name.format(k)).compute(task_rewards)
                assert value == pytest.approx(value, abs=vector["tolerance"]), vector["name"]
        enough = vector["input"]["rollouts_per_example"]
        assert metric(f"pass@{enough + 1}:unbiased").compute(task_rewards) is None, vector["name"]
