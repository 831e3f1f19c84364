"""MTEB: splits and subsets of tasks as samples, in the newer and the older form.

The fixture is real: `TaskResult.from_task_results(…).to_disk(…)` of mteb 2.26.24 for invented
scores of three of its tasks; `get_score()` gave 0.5, 0.7 and 0.25 for the smaller model. The
`model_meta.json` and the older form follow its source code.
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

SMALL = {name.rpartition("/")[2]: text for name, text in folder("mteb").items() if "small" in name}


def task(name: str = "T", **scores: Any) -> dict[str, Any]:
    """Return results of a task: one split for each, with main scores by subset."""
    splits = {
        split: [
            {"main_score": value, "hf_subset": subset, "languages": []}
            for subset, value in subsets.items()
        ]
        for split, subsets in scores.items()
    }
    return {"task_name": name, "mteb_version": "1.14", "scores": splits, "evaluation_time": 2.5}


def older(**splits: Any) -> dict[str, Any]:
    return {"mteb_dataset_name": "T", "mteb_version": "1.1.0", "dataset_revision": "r", **splits}


def rewards(document: Any) -> list[Any]:
    attempt = only_attempt(json.dumps(document).encode(), participant="atlas")
    return [sample["rewards"] for sample in attempt.samples]


def test_a_real_folder_of_two_models_is_read() -> None:
    contents = imported(folder("mteb"))
    large, small = contents.attempts
    assert (large.participant, small.participant) == ("acme/embed-large", "acme/embed-small")
    assert small.meta == {
        "model": "acme/embed-small",
        "revision": "a1b2c3",
        "harness": "MTEB 2.26.24",
    }
    assert [(sample["task"], rewards_of(sample)["main_score"]) for sample in small.samples] == [
        ("Banking77Classification", 0.7),
        ("NFCorpus", 0.25),
        ("STS22", 0.4),
        ("STS22", 0.6),
    ]
    assert small.samples[0]["usage"] == {"elapsed_ms": 3250}
    (mean,) = contents.suggested["metrics"]
    assert value_of(small, mean) == pytest.approx((0.5 + 0.7 + 0.25) / 3)
    assert contents.suggested["rank_by"] == [{"key": mean["name"], "direction": "desc"}]


def test_without_model_meta_the_model_is_read_from_the_folders() -> None:
    upload = {f"results/org__m/rev/{name}": SMALL[name] for name in SMALL if "meta" not in name}
    attempt = only_attempt(upload)
    assert attempt.participant == "org/m"
    assert attempt.meta["revision"] == "rev"


def test_the_file_of_one_task_needs_a_participant() -> None:
    assert "participant: must be given" in refusal(SMALL["STS22.json"], "STS22.json")
    attempt = only_attempt(SMALL["STS22.json"], "STS22.json", participant="atlas")
    assert len(attempt.samples) == 2


def test_a_score_over_several_splits_is_reported() -> None:
    contents = imported(
        json.dumps(task(test={"default": 1.0}, dev={"default": 0.0})).encode(), participant="a"
    )
    (mean,) = contents.suggested["metrics"]
    assert value_of(contents.attempts[0], mean) == 0.5
    assert [warning.endswith(" dev, test") for warning in contents.warnings] == [True]


def test_a_main_score_that_is_none_is_undefined() -> None:
    for nothing in (None, float("nan")):
        document = json.dumps(task(test={"de": nothing, "en": 0.5})).encode()
        contents = imported(document, participant="atlas")
        assert [sample["rewards"] for sample in contents.attempts[0].samples] == [
            {},
            {"main_score": 0.5},
        ], nothing
        assert "no main score" in contents.warnings[0], nothing


def test_all_results_of_a_model_may_be_in_one_file() -> None:
    model = {"model_name": "org/m", "model_revision": "r", "task_results": [task(test={"a": 1})]}
    attempt = only_attempt(json.dumps(model).encode())
    assert (attempt.participant, attempt.meta["revision"]) == ("org/m", "r")


def test_all_results_of_a_benchmark_may_be_in_one_file() -> None:
    models = [
        {"model_name": name, "model_revision": "r", "task_results": [task(test={"a": 1})]}
        for name in ("a", "b")
    ]
    attempts = imported(json.dumps({"model_results": models}).encode()).attempts
    assert [attempt.participant for attempt in attempts] == ["a", "b"]


def test_main_scores_of_the_older_form_are_read() -> None:
    cases: list[tuple[Any, float]] = [
        ({"main_score": 0.1, "accuracy": 0.9}, 0.1),
        ({"accuracy": 0.2, "accuracy_stderr": 0.9}, 0.2),
        ({"ndcg_at_1": 0.9, "ndcg_at_10": 0.3, "map_at_10": 0.9}, 0.3),
        ({"v_measure": 0.4, "v_measures": {"Level 0": [0.1]}}, 0.4),
        ({"cos_sim": {"ap": 0.1}, "max": {"ap": 0.5, "f1": 0.9}}, 0.5),
        ({"cos_sim": {"pearson": 0.9, "spearman": 0.6}}, 0.6),
        ({"map": 0.7, "mrr": 0.9}, 0.7),
        ({"precision": 0.9, "recall": 0.9, "f1": 0.8, "accuracy": 0.9}, 0.8),
    ]
    for scores, main in cases:
        assert rewards(older(test={**scores, "evaluation_time": 9.5})) == [{"main_score": main}], (
            scores
        )


def test_two_pair_tasks_of_the_older_form_are_scored_by_accuracy() -> None:
    scores = {"cos_sim": {"accuracy": 0.74, "ap": 0.8}, "max": {"accuracy": 0.76, "ap": 0.85}}
    for name, main in (("Cmnli", 0.76), ("Ocnli", 0.76), ("TwitterURLCorpus", 0.85)):
        document = {**older(validation=scores), "mteb_dataset_name": name}
        assert rewards(document) == [{"main_score": main}], name


def test_subsets_of_the_older_form_are_read() -> None:
    test = {"de": {"accuracy": 0.1}, "en": {"accuracy": 0.2}, "evaluation_time": 3.0}
    assert rewards(older(test=test)) == [{"main_score": 0.1}, {"main_score": 0.2}]


def test_a_repeated_task_is_refused() -> None:
    twice = {f"results/m/r/{name}.json": json.dumps(task(test={"a": 1})).encode() for name in "ab"}
    with pytest.raises(ImportFailed, match=r"b\.json, task_name: .* T twice"):
        imported(twice)


def test_errors_name_a_wrong_file() -> None:
    cases: list[tuple[Any, str]] = [
        (task(test={"a": "x"}), "scores.test[0].main_score: a number"),
        (task(test={"a": float("inf")}), "scores.test[0].main_score: a finite number"),
        ({**task(), "scores": {"test": [{}]}}, "scores.test[0]: an object with main_score"),
        ({**task(), "scores": {"test": 1}}, "scores.test: a list"),
        (task(), "scores: scores"),
        (older(test=1, dev={}), "test: an object of scores"),
        (older(test={"x": 1}), "test: one of the main scores main_score, ndcg_at_10"),
        ({**task(test={"a": 1}), "evaluation_time": -1}, "evaluation_time: a number"),
        ({"model_results": [{"task_results": [{}]}]}, "model_results[0].task_results[0]: "),
    ]
    for wrong, message in cases:
        assert_refused(json.dumps(wrong).encode(), message, "T.json", participant="atlas")
