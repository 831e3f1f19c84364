"""The cells of a table of rewards: numbers, and the three states that are not numbers."""

from __future__ import annotations

import pytest

from leaderboard.rules.rewards.evidence import ONLY_REWARD, RewardCell, RewardEvidence, Sample
from tests.rules.rewards_of import (
    EvaluationDraft,
    attempt,
    declare,
    metric_rewards,
    of_task_rewards,
)


def test_a_cell_is_a_number_or_a_reason() -> None:
    cases: list[
        tuple[dict[str, list[EvaluationDraft]], dict[str, list[str]], list[list[RewardCell]], str]
    ] = [
        ({"a": [{"x": 0}], "b": [{"y": 1}]}, {}, [[0.0], ["undefined"]], "zero-is-a-number"),
        ({"a": [{"x": 1}, {"x": None}]}, {}, [[1.0, "failed"]], "null-is-unscored"),
        ({"a": [{"x": 1}, {}]}, {}, [[1.0, "undefined"]], "absent-is-undefined"),
        ({"a": [{"x": 1}, {}]}, {"a": ["x"]}, [[1.0, "failed"]], "absent-but-declared"),
        (
            {"a": [None], "b": [{"x": 1, "y": 1}]},
            {"a": ["x"]},
            [["failed"], [1.0]],
            "owes-what-is-declared",
        ),
        (
            {"a": [None, {"y": 1}], "b": [{"x": 1}]},
            {"a": ["y"]},
            [["undefined", "undefined"], [1.0]],
            "owes-nothing-else",
        ),
        (
            {"a": [None, {"x": 1}, {"y": 1}]},
            {},
            [["failed", 1.0, "undefined"]],
            "owes-what-the-others-have",
        ),
        ({"a": [None], "b": [{"x": 1}]}, {}, [["failed"], [1.0]], "owes-the-only"),
        (
            {"a": [None], "b": [{"x": 1, "y": 1}]},
            {},
            [["undefined"], [1.0]],
            "owes-none-of-several",
        ),
        ({"a": [None], "b": [None]}, {}, [["undefined"]] * 2, "nobody-knows"),
        ({"a": [], "b": [{"x": 1}]}, {}, [[], [1.0]], "not-run"),
        (
            {"a": [None, {"seeded": None}], "b": [{"x": 1}]},
            {},
            [["failed", "undefined"], [1.0]],
            "a-placeholder-owes-nothing",
        ),
    ]
    for tasks, declared, expected, name in cases:
        assert attempt(tasks, declared).cells("x") == expected, name


def test_a_reward_that_is_always_null_is_dropped_unless_declared() -> None:
    tasks: dict[str, list[EvaluationDraft]] = {
        "a": [{"seeded": None, "x": 1}],
        "b": [{"seeded": None}],
    }
    assert attempt(tasks).rewards == ("x",)
    assert attempt(tasks, {"a": ["seeded"]}).rewards == ("seeded", "x")


def test_tasks_and_their_samples_are_sorted() -> None:
    samples = [Sample("late", 2, {"x": 2}), Sample("late", 0, {"x": 0}), Sample("first", 1, None)]
    evidence = RewardEvidence(samples, declare({"first": [], "unseen": []}), tasks=["also"])
    assert evidence.tasks == ["first", "unseen", "also", "late"]
    assert evidence.cells("x") == [["failed"], [], [], [0.0, 2.0]]
    assert evidence.sample_numbers == [0, 1, 2]


def test_a_repeated_sample_is_refused_by_name() -> None:
    samples = [Sample("one", 3, None), Sample("two", 3, None), Sample("one", 3, {"x": 1})]
    with pytest.raises(ValueError, match="task 'one' has sample 3 twice"):
        RewardEvidence(samples)


def test_the_short_form_has_one_reward_even_if_all_samples_failed() -> None:
    evidence = of_task_rewards({"a": [1, 0.5, None], "b": [], "c": [None]})
    assert evidence.rewards == (ONLY_REWARD,)
    assert metric_rewards(evidence, ONLY_REWARD) == [[1.0, 0.5, 0.0], [], [0.0]]
    assert metric_rewards(evidence, ONLY_REWARD, failed="exclude") == [[1.0, 0.5], [], []]
    assert evidence.metric_input(ONLY_REWARD).failed == 2
    lost = of_task_rewards({"a": [None]})
    assert metric_rewards(lost, ONLY_REWARD) == [[0.0]]
    assert lost.metric_input(ONLY_REWARD, failed="exclude").nothing == "failed"
    assert of_task_rewards({"a": []}).metric_input(ONLY_REWARD).nothing == "not_run"


def test_a_table_has_a_cell_for_every_sample_number() -> None:
    evidence = attempt({"a": [{"x": 1}, None], "b": [{"y": 0.5}], "c": []}, {"c": ["x"], "d": []})
    rows = {row.task: row.cells for row in evidence.rows()}
    assert rows == {
        "c": {"x": ["not_run"] * 2, "y": ["undefined"] * 2},
        "d": {"x": ["not_run"] * 2, "y": ["not_run"] * 2},
        "a": {"x": [1.0, "failed"], "y": ["undefined"] * 2},
        "b": {"x": ["undefined"] * 2, "y": [0.5, "not_run"]},
    }
    assert [row.task for row in evidence.rows(1, 3)] == ["d", "a"]
