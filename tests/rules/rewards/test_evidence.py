"""Rewards of samples: means that equal those of other systems, and the lines for scripts."""

from __future__ import annotations

import pytest

from leaderboard.rules.rewards.evidence import RewardEvidence, RewardState
from scorers.metrics.mean import Mean
from tests.helpers.vectors import vectors
from tests.rules.rewards_of import EvaluationDraft, attempt, metric_rewards

# The rewards of the source system: ten tasks of physics, two of chemistry.
PHYSICS = [65, 72, 58, 81, 45, 67, 73, 59, 68, 74]
CHEMISTRY = [88, 76]
TWO_DOMAINS = attempt(
    {f"p{number}": [{"physics_reward": value}] for number, value in enumerate(PHYSICS)}
    | {f"c{number}": [{"chemistry_reward": value}] for number, value in enumerate(CHEMISTRY)}
)


def test_each_domain_is_averaged_over_its_own_tasks() -> None:
    cases: list[tuple[str, float | None, int, RewardState | None]] = [
        ("physics_reward", 66.2, 10, None),
        ("chemistry_reward", 82.0, 2, None),
        ("biology_reward", None, 0, "undefined"),
    ]
    for reward, mean, defined, nothing in cases:
        metric_input = TWO_DOMAINS.metric_input(reward)
        assert Mean().compute(metric_input.task_rewards) == (
            mean and pytest.approx(mean, abs=1e-12)
        )
        assert (sum(map(bool, metric_input.task_rewards)), metric_input.total) == (defined, 12), (
            reward
        )
        assert (metric_input.failed, metric_input.nothing) == (0, nothing), reward


def test_undefined_rewards_are_left_out_and_shown_as_a_dash() -> None:
    for vector in vectors("sparse_metrics_pr"):
        given, expected = vector["input"], vector["expected"]["value"]
        rows = zip(given["values"], given["not_defined"], strict=True)
        tasks: dict[str, list[EvaluationDraft]] = {
            f"task-{number}": [{} if absent else {"reward": value}]
            for number, (value, absent) in enumerate(rows)
        }
        metric_input = attempt(tasks).metric_input("reward")
        mean = Mean().compute(metric_input.task_rewards)
        defined = sum(map(bool, metric_input.task_rewards))
        assert mean == pytest.approx(expected["avg"], abs=vector["tolerance"]), vector["name"]
        assert (defined, metric_input.total) == (expected["relevant"], expected["total"]), vector[
            "name"
        ]
        assert f"avg - {mean:.3f} (relevant: {defined}/{metric_input.total})" == expected["text"]
        cells = [cell for (cell,) in attempt(tasks).cells("reward")]
        assert ["-" if cell == "undefined" else cell for cell in cells] == expected["cells"]


def test_averages_equal_those_of_verifiers() -> None:
    for vector in vectors("verifiers_averages"):
        outputs, expected = vector["input"]["outputs"], vector["expected"]["value"]
        near = {"abs": vector["tolerance"]}
        evidence = attempt({f"example-{n}": [row["metrics"]] for n, row in enumerate(outputs)})
        # There a null means absent; here it means not scored, which counts 0 unless excluded.
        means = {
            name: Mean().compute(metric_rewards(evidence, name, failed="exclude"))
            for name in evidence.rewards
        }
        assert means == pytest.approx(expected["avg_metrics"], **near), vector["name"]

        rewards = attempt({f"example-{n}": [{"r": row["reward"]}] for n, row in enumerate(outputs)})
        assert Mean().compute(metric_rewards(rewards, "r")) == pytest.approx(
            expected["avg_reward"], **near
        )

        failing = attempt({"all": [None if row.get("error") else {"r": 1.0} for row in outputs]})
        share = failing.metric_input("r").failed / len(outputs)
        assert share == pytest.approx(expected["avg_error"], **near), vector["name"]


def headline(evidence: RewardEvidence, reward: str) -> str:
    """Format the mean without failed traces and, if it differs, the mean with them as zeros."""
    without = Mean().compute(metric_rewards(evidence, reward, failed="exclude", undefined="zero"))
    with_zeros = Mean().compute(metric_rewards(evidence, reward, undefined="zero"))
    return f"{without:.2f}" + ("" if without == with_zeros else f" ({with_zeros:.2f})")


def test_means_equal_those_that_verifiers_one_shows() -> None:
    for vector in vectors("verifiers_v1"):
        traces, expected = vector["input"]["traces"], vector["expected"]["value"]
        totals = [
            sum(reward["score"] * reward["weight"] for reward in trace["rewards"].values())
            for trace in traces
        ]
        assert totals == pytest.approx(expected["trace_rewards"], abs=vector["tolerance"])
        evidence = attempt(
            {
                f"trace-{number}": [
                    {"total": total}
                    | {name: reward["score"] for name, reward in trace["rewards"].items()}
                    | trace.get("metrics", {})
                    if trace.get("ok", True)
                    else None
                ]
                for number, (trace, total) in enumerate(zip(traces, totals, strict=True))
            },
            # A failed trace belongs to the same task, so the same rewards are declared for it.
            {f"trace-{n}": ["total", "exact"] for n, trace in enumerate(traces) if "ok" in trace},
        )

        rewards = dict.fromkeys(name for trace in traces for name in trace["rewards"])
        metrics = dict.fromkeys(name for trace in traces for name in trace.get("metrics", ()))
        assert headline(evidence, "total") == expected["headline"], vector["name"]
        assert (
            "  ·  ".join(f"{name} {headline(evidence, name)}" for name in rewards)
            == expected["rewards_text"]
        )
        text = "  ·  ".join(f"{name} {headline(evidence, name)}" for name in metrics) or None
        assert text == expected["metrics_text"], vector["name"]
        # Its dashboard reads an absent metric as 0; here it is left out unless that is requested.
        defined = {name: metric_rewards(evidence, name) for name in metrics}
        assert all(sum(map(len, tasks)) == 1 for tasks in defined.values()), vector["name"]


def test_a_script_has_a_line_for_each_sample() -> None:
    evidence = attempt(
        {"a": [{"x": 1, "y": 0.5}, None], "b": [{"x": None, "y": 2}], "c": [{}], "d": []}
    )
    script_input = evidence.script_input(None)
    assert script_input.rows == [{"x": 1.0, "y": 0.5}, None, {"x": 0.0, "y": 2.0}, {}]
    assert (script_input.defined, script_input.total, script_input.failed) == (3, 4, 1)
    assert evidence.script_input(None, failed="exclude").rows == [
        {"x": 1.0, "y": 0.5},
        {"y": 2.0},
        {},
    ]
    assert evidence.script_input("x", undefined="zero").rows == [
        {"x": 1.0},
        None,
        {"x": 0.0},
        {"x": 0.0},
    ]
