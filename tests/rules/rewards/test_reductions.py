"""From evidence to metric values: keys, coverage, reasons, and errors that affect one metric
only."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings

from leaderboard.rules.rewards import intervals
from leaderboard.rules.rewards.evidence import RewardEvidence, Sample
from leaderboard.rules.rewards.intervals import SEED, Estimate
from leaderboard.rules.rewards.metric_inputs import MetricInput, ScriptInput
from leaderboard.rules.rewards.reductions import (
    Reduce,
    Script,
    economics,
    in_process,
    metric_values,
)
from leaderboard.schemas.metrics import MetricSpec, parse_metrics
from scorers.metrics.registry import shipped
from tests.helpers.examples import examples
from tests.helpers.vectors import vectors
from tests.rules.rewards_of import (
    EvaluationDraft,
    attempt,
    attempts,
    declarations,
    no_script,
    of_task_rewards,
    shipped_metric,
    values_of,
)

TWO_DOMAINS = attempt(
    {f"p{n}": [{"physics": reward}] for n, reward in enumerate((65, 72, 58, 81, 45, 67))}
    | {"c0": [{"chemistry": 88}, None], "c1": [{"chemistry": None}], "c2": []}
)


def test_each_reward_has_a_value_and_its_coverage() -> None:
    by_name = values_of(TWO_DOMAINS, "mean", {"type": "mean", "name": "c", "reward": "chemistry"})
    assert list(by_name) == ["mean:physics", "mean:chemistry", "c"]
    assert by_name["c"] == by_name["mean:chemistry"]
    physics, chemistry = by_name["mean:physics"], by_name["mean:chemistry"]
    assert physics["value"] == pytest.approx(388 / 6)
    assert (physics["defined"], physics["total"], physics["failed"]) == (6, 9, 0)
    assert chemistry["value"] == pytest.approx(88 / 3)
    assert (chemistry["defined"], chemistry["total"], chemistry["failed"]) == (2, 9, 2)


def test_a_value_is_plain_json_with_its_error_and_coverage() -> None:
    rewards = {"a": 1, "b": 0.5, "c": 0.5, "d": 1, "e": 0.75, "f": 0.75, "g": 0.75, "h": 0.75}
    by_name = values_of(
        attempt({task: [{"x": reward}] for task, reward in rewards.items()}), "mean", "sum"
    )
    error = math.sqrt(0.25 / 7 / 8)
    reach = 2.364624 * error
    assert json.loads(json.dumps(by_name)) == by_name
    assert by_name["mean"] == {
        "value": 0.75,
        "defined": 8,
        "total": 8,
        "failed": 0,
        "standard_error": pytest.approx(error),
        "interval": [pytest.approx(0.75 - reach), pytest.approx(0.75 + reach)],
        "method": "t",
        "n": 8,
        "seed": None,
        "interval_reason": None,
        "reason": None,
        "error": None,
    }
    assert (by_name["sum"]["method"], by_name["sum"]["seed"]) == ("bootstrap", SEED)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_value_without_a_computable_spread_is_kept() -> None:
    for rewards in ((1e200, -1e200, 3.0), (1e308, -1e308, 0.0)):
        brought = attempt({f"t{at}": [{"x": reward}] for at, reward in enumerate(rewards)})
        for value in values_of(brought, "mean", "sum").values():
            assert json.loads(json.dumps(value, allow_nan=False)) == value, rewards
            assert (value["interval"], value["method"], value["n"]) == (None, "", 3), rewards
            assert value["value"] is not None, rewards


def test_a_reward_that_no_task_has_is_undefined_and_not_zero() -> None:
    for name in ("mean", "mean_reward", "pass_rate", "pass@2", "sum"):
        spec = {"type": name, "name": "m", "reward": "biology"}
        value = values_of(TWO_DOMAINS, spec)["m"]
        assert (value["value"], value["reason"], value["error"]) == (
            None,
            "undefined",
            None,
        ), name
        assert (value["defined"], value["total"], value["interval"]) == (0, 9, None), name


def test_without_tasks_the_metrics_of_evsys_are_zero() -> None:
    cases: list[tuple[str, float | None]] = [
        ("mean_reward", 0.0),
        ("avg", 0.0),
        ("pass_rate", 0.0),
        ("pass@3", 0.0),
        ("pass^3", 0.0),
        ("mean", None),
        ("sum", None),
        ("min", None),
        ("max", None),
        ("pass@3:unbiased", None),
    ]
    for name, value in cases:
        empty = of_task_rewards({"a": [], "b": []})
        lost = of_task_rewards({"a": [None]})
        for evidence, reason in ((empty, "not_run"), (lost, "failed")):
            computed = values_of(evidence, {"type": name, "failed": "exclude"})[name]
            assert computed["value"] == value, name
            assert computed["reason"] == reason, name
            assert (computed["defined"], computed["error"]) == (0, None), name


def test_too_few_samples_are_undefined() -> None:
    by_name = values_of(of_task_rewards({"a": [1, 1], "b": [1]}), "pass@3:unbiased", "pass@3")
    assert (by_name["pass@3:unbiased"]["value"], by_name["pass@3:unbiased"]["reason"]) == (
        None,
        "undefined",
    )
    assert by_name["pass@3"]["value"] == 1.0
    two = values_of(of_task_rewards({"a": [1, 1], "b": [1]}), "pass@2:unbiased")
    assert (two["pass@2:unbiased"]["defined"], two["pass@2:unbiased"]["total"]) == (1, 2)


def test_without_a_reward_name_failed_samples_count_as_zero_or_leave_no_value() -> None:
    lost = attempt({"a": [None], "b": [None]})
    harbors = {"type": "mean", "name": "harbors", "undefined": "zero"}
    by_name = values_of(lost, "mean", "pass_rate", harbors)
    assert (by_name["mean"]["value"], by_name["mean"]["reason"]) == (None, "failed")
    assert by_name["pass_rate"]["value"] == by_name["harbors"]["value"] == 0.0
    assert by_name["harbors"]["failed"] == 2


# Errors of one metric.


def broken(spec: MetricSpec) -> Reduce:
    def raising(metric_input: MetricInput) -> Estimate:
        raise ZeroDivisionError("/secret/path.py")

    class Infinite:
        def compute(self, task_rewards: object) -> float:
            return float("inf")

    reductions = {"raising": raising, "infinite": in_process(Infinite())}
    return reductions[spec.type] if spec.type in reductions else shipped_metric(spec)


def test_a_failed_metric_does_not_affect_the_others() -> None:
    specs = parse_metrics(["raising", "mean", "nonsense", "infinite", "pass_rate"])
    by_name = metric_values(of_task_rewards({"a": [1, 0]}), specs, broken, no_script)
    assert by_name["mean"]["value"] == by_name["pass_rate"]["value"] == 0.5
    errors = {key: value["error"] for key, value in by_name.items() if value["error"]}
    unknown = errors.pop("nonsense")
    assert unknown["code"] == "not_installed"
    assert "avg, losses, max, mean" in unknown["message"]
    codes = {key: error["code"] for key, error in errors.items()}
    assert codes == {"raising": "exception", "infinite": "invalid_result"}
    assert "ZeroDivisionError" in errors["raising"]["message"]
    assert "secret" not in errors["raising"]["message"]
    assert "inf" in errors["infinite"]["message"].split()[3]
    assert all(by_name[key]["value"] is None for key in errors)


# Scripts.


def scripts(answer: object) -> Any:
    return lambda spec: lambda lines: answer


SCRIPT = {"type": "uv-script", "name": "mine", "kwargs": {"script": "print(1)"}}


def test_a_script_gives_one_value_or_several() -> None:
    cases: list[tuple[object, dict[str, float | None]]] = [
        ({"mean": 0.5}, {"mine": 0.5}),
        ({"n": 3, "best": None}, {"mine:n": 3.0, "mine:best": None}),
    ]
    for answer, expected in cases:
        evidence = attempt({"a": [{"x": 1}, None], "b": [None], "c": []})
        by_name = metric_values(evidence, parse_metrics([SCRIPT]), shipped_metric, scripts(answer))
        assert {key: value["value"] for key, value in by_name.items()} == expected, answer
        for value in by_name.values():
            assert (value["defined"], value["total"], value["failed"]) == (1, 3, 2), answer
            assert value["interval"] is None, answer


def test_a_script_gets_the_lines_of_samples() -> None:
    given: list[ScriptInput] = []

    def script(spec: MetricSpec) -> Script:
        assert spec.script == "print(1)"

        def run(lines: ScriptInput) -> Mapping[str, object]:
            given.append(lines)
            return {"n": len(lines.rows)}

        return run

    evidence = attempt({"a": [{"x": 1, "y": 2}, None]})
    specs = parse_metrics([SCRIPT, {**SCRIPT, "name": "x", "reward": "x", "failed": "exclude"}])
    by_name = metric_values(evidence, specs, shipped_metric, script)
    assert [lines.rows for lines in given] == [[{"x": 1.0, "y": 2.0}, None], [{"x": 1.0}]]
    assert [value["value"] for value in by_name.values()] == [2.0, 1.0]


def test_wrong_output_of_a_script_is_reported() -> None:
    for answer in ({}, [1], None, {"a": "1"}, {"a": True}, {"a": float("nan")}):
        evidence = attempt({"a": [{"x": 1}]})
        by_name = metric_values(
            evidence, parse_metrics([SCRIPT, "mean"]), shipped_metric, scripts(answer)
        )
        assert by_name["mine"]["error"], answer
        assert by_name["mine"]["error"]["code"] == "invalid_result", answer
        assert by_name["mean"]["value"] == 1.0, answer


def test_disabled_scripts_are_reported() -> None:
    value = values_of(attempt({"a": [{"x": 1}]}), SCRIPT)["mine"]
    assert value["error"] == {"code": "not_installed", "message": "off"}
    assert values_of(attempt({"a": []}), SCRIPT)["mine"]["reason"] == "not_run"


# Costs per task.


def used(*usage: tuple[str, Mapping[str, float | None] | None]) -> RewardEvidence:
    return RewardEvidence(
        Sample(task, n, {"x": 1}, sample_usage) for n, (task, sample_usage) in enumerate(usage)
    )


def test_costs_are_means_over_the_tasks_that_report_them() -> None:
    costs = economics(
        used(
            ("a", {"elapsed_ms": 4000, "tokens_total": 900, "cost_usd": 0.01}),
            ("a", {"elapsed_ms": 2000, "tokens_total": None, "input_tokens": 80}),
            ("b", {"elapsed_ms": 1000, "input_tokens": 60, "output_tokens": 40}),
            ("c", None),
        )
    )
    assert costs["time_per_task"]["value"] == pytest.approx(2.0)
    assert costs["tokens_per_task"]["value"] == pytest.approx(500.0)
    assert costs["cost_per_task"]["value"] == pytest.approx(0.01)
    assert [(value["defined"], value["total"]) for value in costs.values()] == [
        (2, 3),
        (2, 3),
        (1, 3),
    ]
    assert costs["time_per_task"]["standard_error"] == pytest.approx(1.0)
    assert costs["cost_per_task"]["standard_error"] is None


def test_a_cost_that_no_sample_reports_is_absent() -> None:
    assert economics(used(("a", None), ("b", {}))) == {}
    assert list(values_of(used(("a", {"cost_usd": 0.0})), "mean")) == ["mean", "cost_per_task"]


def test_the_cost_of_a_failed_sample_counts() -> None:
    evidence = RewardEvidence([Sample("a", 0, None, {"cost_usd": 2.0}, "container died")])
    assert economics(evidence)["cost_per_task"]["value"] == 2.0


def test_average_tokens_equal_those_of_verifiers() -> None:
    for vector in vectors("verifiers_averages"):
        usage = [row.get("token_usage") or {} for row in vector["input"]["outputs"]]
        tokens = [{"tokens_total": sample_usage.get("input_tokens")} for sample_usage in usage]
        costs = economics(used(*((f"task-{n}", token) for n, token in enumerate(tokens))))
        expected = vector["expected"]["value"]["avg_input_tokens"]
        assert ("tokens_per_task" in costs) == (expected is not None)
        if expected is not None:
            assert costs["tokens_per_task"]["value"] == pytest.approx(expected)


# Any evidence.


@settings(max_examples=examples(50))
@given(attempts, declarations)
def test_every_value_or_its_absence_is_explained(
    tasks: dict[str, list[EvaluationDraft]], declared: dict[str, list[str]]
) -> None:
    metrics = [name.replace("K", "2") for name in shipped().names()]
    with patch.object(intervals, "DRAWS", 100):  # for speed
        by_name = values_of(attempt(tasks, declared), *metrics)
    for value in by_name.values():
        assert value["error"] is None
        assert (value["defined"] == 0) == (value["reason"] is not None)
        assert value["value"] is not None or value["defined"] == 0
        assert 0 <= value["defined"] <= value["total"] <= len({*tasks, *declared})
        assert (value["interval"] is None) == (value["method"] == "")
        if value["value"] is not None and value["interval"] and value["method"] != "bootstrap":
            low, high = value["interval"]
            assert low - 1e-12 <= value["value"] <= high + 1e-12
