"""HELM: instances of runs as tasks, training trials as samples.

The fixture is real: two runs of `helm-run` 0.5.16 of an invented scenario and its `simple/model1`,
one with two training trials, one with perturbed instances. Omitted are `scenario_state.json`,
`scenario.json` and most bookkeeping statistics; the folders have `_` for `:`.
"""

import json
from typing import Any

import pytest

from leaderboard.importers import ImportFailed
from tests.importers.arithmetic import value_of
from tests.importers.uploads import (
    assert_refused,
    folder,
    imported,
    only_attempt,
    refusal,
    rewards_of,
)

FILES = folder("helm")
ONE = {name: text for name, text in FILES.items() if "subject=a" in name}
TOP = next(iter(ONE)).rpartition("/")[0]


def changed(name: str, change: Any) -> dict[str, bytes]:
    """Return the first run with one of its files changed."""
    document = json.loads(ONE[f"{TOP}/{name}"])
    return {**ONE, f"{TOP}/{name}": json.dumps(change(document)).encode()}


def test_a_real_suite_is_read() -> None:
    contents = imported(FILES)
    (attempt,) = contents.attempts
    assert attempt.participant == "simple/model1"
    assert attempt.meta["job"] == "v1"
    tasks = dict.fromkeys(sample["task"] for sample in attempt.samples)
    assert list(tasks)[:2] == [
        "tiny:subject=a,num_train_trials=2/id2",
        "tiny:subject=a,num_train_trials=2/id3",
    ]
    assert len(tasks) == 8
    assert attempt.samples[0]["rewards"] == {
        "exact_match": 1.0,
        "quasi_exact_match": 1.0,
        "f1_score": 0.0,
    }
    assert attempt.samples[0]["usage"]["tokens_total"] == 44
    assert attempt.file_metrics["tiny:subject=a,num_train_trials=2: exact_match"] == 0.5
    assert attempt.specs == {}
    assert "6 results of other splits" in contents.warnings[1]


def test_the_means_of_a_single_run_are_compared() -> None:
    contents = imported(ONE)
    (attempt,) = contents.attempts
    assert len(attempt.samples) == 8
    assert attempt.file_metrics == {
        "mean:exact_match": 0.5,
        "mean:quasi_exact_match": 0.5,
        "mean:f1_score": 0.0,
    }
    assert all(
        value_of(attempt, spec) == attempt.file_metrics[key] for key, spec in attempt.specs.items()
    )


def test_the_first_metric_that_a_run_asks_for_ranks() -> None:
    contents = imported(FILES)
    assert contents.suggested["rank_by"] == [{"key": "mean:exact_match", "direction": "desc"}]
    assert [metric["reward"] for metric in contents.suggested["metrics"]] == [
        "exact_match",
        "quasi_exact_match",
        "f1_score",
    ]


def test_bookkeeping_statistics_are_no_rewards() -> None:
    names = {name for sample in only_attempt(ONE).samples for name in rewards_of(sample)}
    assert names == {"exact_match", "quasi_exact_match", "f1_score"}


def test_each_model_is_an_attempt() -> None:
    other = changed("run_spec.json", lambda spec: {**spec, "adapter_spec": {"model": "org/other"}})
    upload = {**ONE, **{name.replace(TOP, "runs/v1/other"): text for name, text in other.items()}}
    assert [attempt.participant for attempt in imported(upload).attempts] == [
        "org/other",
        "simple/model1",
    ]


def test_without_a_test_split_the_valid_split_counts() -> None:
    def only_valid(instances: list[Any]) -> list[Any]:
        return [
            instance for instance in instances if instance["stats"][0]["name"]["split"] == "valid"
        ]

    attempt = only_attempt(changed("per_instance_stats.json", only_valid))
    assert {sample["task"] for sample in attempt.samples} == {
        "tiny:subject=a,num_train_trials=2/id1"
    }


def test_instances_that_were_not_counted_are_undefined() -> None:
    def without_means(instances: list[Any]) -> list[Any]:
        for stat in (stat for instance in instances for stat in instance["stats"]):
            if stat["name"]["name"] == "f1_score":
                stat.update(count=0, mean=None)
            if stat["name"]["name"] == "quasi_exact_match":
                stat["mean"] = float("nan")
        return instances

    attempt = only_attempt(changed("per_instance_stats.json", without_means))
    assert all(set(rewards_of(sample)) == {"exact_match"} for sample in attempt.samples)


def test_without_instances_the_means_become_reported_values() -> None:
    upload = {name: text for name, text in ONE.items() if "per_instance" not in name}
    contents = imported(upload)
    (attempt,) = contents.attempts
    assert attempt.samples == []
    assert attempt.values == {"exact_match": 0.5, "quasi_exact_match": 0.5, "f1_score": 0.0}
    (warning,) = contents.warnings
    assert warning.startswith("tiny:subject=a,num_train_trials=2: has no per_instance_stats.json")


def test_a_spec_without_results_is_refused() -> None:
    assert "stats.json or per_instance_stats.json" in refusal(
        ONE[f"{TOP}/run_spec.json"], "run_spec.json"
    )


def test_a_repeated_run_is_refused() -> None:
    upload = {**ONE, **{name.replace("v1", "v2"): text for name, text in ONE.items()}}
    assert "the same run twice" in refusal(upload)


def test_a_run_without_a_model_needs_a_participant() -> None:
    upload = changed("run_spec.json", lambda spec: {**spec, "adapter_spec": {}})
    assert "participant: must be given" in refusal(upload)
    assert only_attempt(upload, participant="atlas").participant == "atlas"


def test_errors_name_a_wrong_file() -> None:
    cases: list[tuple[str, list[Any], Any, str]] = [
        ("per_instance_stats.json", [2, "instance_id"], 7, "[2].instance_id: a text"),
        ("per_instance_stats.json", [2, "stats"], "x", "[2].stats: a list"),
        ("per_instance_stats.json", [2, "stats", 0], 1, "[2].stats[0]: an object"),
        ("per_instance_stats.json", [2, "train_trial_index"], "x", "[2].train_trial_index: "),
        ("stats.json", [0, "name"], "x", "[0].name: an object"),
        ("run_spec.json", ["metric_specs"], {}, "metric_specs: a list"),
    ]
    for name, path, value, message in cases:
        document = json.loads(ONE[f"{TOP}/{name}"])
        place = document
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        assert_refused(
            {**ONE, f"{TOP}/{name}": json.dumps(document).encode()}, f"{name}, {message}"
        )


def test_a_reward_that_is_no_number_is_named() -> None:
    def words(instances: list[Any]) -> list[Any]:
        for stat in instances[2]["stats"]:
            stat["mean"] = "x"
        return instances

    with pytest.raises(ImportFailed, match=r"\[2\]\.stats\[\d+\]\.mean: must be a number"):
        imported(changed("per_instance_stats.json", words))
