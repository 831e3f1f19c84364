"""Certainties as they are stored, and the parts of metrics."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.rules.rewards.evidence import DeclaredTask, RewardEvidence, Sample
from leaderboard.rules.statistics.certainties import Certainty, RankedEntry
from leaderboard.rules.statistics.metric_parts import gives_parts, has_too_large_parts, metric_parts
from leaderboard.rules.statistics.parts import TaskParts
from leaderboard.rules.statistics.verdict_sentences import sentences
from leaderboard.rules.statistics.verdicts import NoParts
from scorers.metrics.registry import shipped
from tests.rules.statistics.boards import issue_pair

EVIDENCE = RewardEvidence(
    [Sample(f"t{at}", number, {"r": (at * number) % 2}) for at in range(9) for number in range(3)]
    + [Sample("t9", 0, {"r": 1.0}), Sample("t1", 3, None)],
    [DeclaredTask("t0", ("r",), "", 4.0), DeclaredTask("lacking", ("other",), "", 1.0)],
)


def entries(parts: TaskParts) -> list[RankedEntry]:
    ranks = parts.ranks().tolist()
    return [
        RankedEntry(f"{row:032x}", row, ranks[row], value, (value - 0.1, value + 0.1))
        for row, value in enumerate(parts.values.tolist())
    ]


def again(certainty: Certainty) -> Certainty:
    verdict_json, rows = json.loads(json.dumps(certainty.as_json()))
    return Certainty.of_json(verdict_json, rows)


def test_what_is_stored_is_read_again() -> None:
    certainty = Certainty.of(entries(issue_pair()), issue_pair(), seed=1)
    assert again(certainty) == certainty
    assert sentences(certainty.verdict, ["A", "B"])[1:] == (
        "The lead is clear: 0.1 before B (95%: 0.01307 to 0.1869).",
        "Differences below about 0.1 cannot be shown with these 100 tasks.",
    )


def test_small_boards_are_read_again() -> None:
    for values in ([[1.0, 1.0]], [[1.0] * 9, [1.0] * 9], [[1.0], [0.5], [0.2]]):
        parts = TaskParts.of_values(values)
        result = Certainty.of(entries(parts), parts, seed=1)
        assert again(result) == result, values


def test_entries_that_cannot_be_compared() -> None:
    cases: list[tuple[NoParts | None, str]] = [
        (None, "scores come without samples"),
        ("no_parts", "a value that is a mean over tasks"),
        ("mean_of_attempts", "each value is a mean over several attempts"),
        ("too_large", "there are too many tasks"),
        ("too_large_rewards", "rewards are too large to be compared"),
    ]
    for why, reason in cases:
        result = again(Certainty.of(entries(issue_pair()), None, seed=1, why=why))
        assert {row.reason for row in result.rows} == {why or "no_samples"}, why
        texts = sentences(result.verdict, ["A", "B"], why=result.why)
        assert reason in texts[1].lower(), why


def test_parts_give_the_value_of_the_metric() -> None:
    for name in ("mean", "mean_reward", "weighted_mean", "pass@1", "pass@2:unbiased", "pass^2"):
        for failed in ("zero", "exclude"):
            metric: Any = shipped().get(name)()
            metric_input = EVIDENCE.metric_input("r", failed=failed)
            result = metric_parts(metric, metric_input)
            assert gives_parts(metric), name
            assert result is not None, name
            weights = [
                w
                for w, task_reward in zip(
                    metric_input.weights, metric_input.task_rewards, strict=True
                )
                if task_reward
            ]
            weighted = metric.weighted_by(weights) if hasattr(metric, "weighted_by") else metric
            value = weighted.compute(
                [task_reward for task_reward in metric_input.task_rewards if task_reward]
            )
            assert result.above.sum() / result.below.sum() == pytest.approx(value), name
            assert len(result.tasks) == len(set(result.tasks)) == result.above.size, name
            assert ("t9" in result.tasks) == (name != "pass@2:unbiased"), name
            assert "t0" in result.tasks, name
            assert "lacking" not in result.tasks, name


def test_other_metrics_have_no_parts() -> None:
    for name in ("sum", "max", "min", "median", "std", "wins"):
        assert not gives_parts(shipped().get(name)()), name


def test_values_without_tasks_or_without_squares_have_no_parts() -> None:
    mean = shipped().get("mean")()
    assert metric_parts(mean, EVIDENCE.metric_input("other")) is None
    large = RewardEvidence([Sample("t", 0, {"r": 1e200})])
    assert metric_parts(mean, large.metric_input("r")) is None
    assert has_too_large_parts(mean, large.metric_input("r"))
    assert not has_too_large_parts(mean, EVIDENCE.metric_input("other"))
    assert not has_too_large_parts(mean, EVIDENCE.metric_input("r"))
