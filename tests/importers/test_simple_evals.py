"""simple-evals: reported values, and the examples of HealthBench.

The fixture is made by the published source of simple-evals (it is in no package registry): its
`aggregate_results` and HealthBench's clipped mean, over invented results of single examples.
"""

import json
from typing import Any

import pytest

from tests.importers.arithmetic import value_of
from tests.importers.uploads import assert_refused, folder, imported, only_attempt, refusal

FILES = folder("simple-evals")
MMLU = "mmlu_gpt-mini_20261122_101500.json"


def whole(*examples: Any, **fields: Any) -> bytes:
    metadata = {"example_level_metadata": list(examples)}
    document = {"score": 0.5, "metrics": {}, "htmls": [], "convos": [], "metadata": metadata}
    return json.dumps({**document, **fields}).encode()


def test_real_results_of_two_models_are_read() -> None:
    contents = imported(FILES)
    large, mini = contents.attempts
    assert (large.participant, mini.participant) == ("gpt-large_high", "gpt-mini")
    assert mini.meta["dataset"] == "healthbench_hard, mmlu"
    assert mini.values == {
        "mmlu.score": 0.5,
        "mmlu.stem": 0.5,
        "mmlu.humanities": 1.0,
        "mmlu.other": 0.0,
        "mmlu.stem:std": 0.5,
        "mmlu.humanities:std": 0.0,
        "mmlu.other:std": 0.0,
        "mmlu.score:std": 0.5,
    }
    assert [sample["rewards"] for sample in mini.samples] == [
        {"healthbench_hard.score": 0.5},
        {"healthbench_hard.score": -0.1},
        {"healthbench_hard.score": 0.8},
    ]
    assert mini.file_metrics["mean:healthbench_hard.score"] == pytest.approx(0.4)


def test_numbers_without_examples_are_read() -> None:
    attempt = only_attempt(FILES[MMLU], MMLU)
    assert attempt.participant == "gpt-mini"
    assert attempt.values["mmlu.score"] == 0.5
    assert attempt.samples == []


def test_the_score_comes_first() -> None:
    contents = imported(FILES[MMLU], MMLU)
    assert contents.suggested["rank_by"] == [{"key": "mmlu.score", "direction": "desc"}]


def test_a_renamed_file_needs_a_participant_and_names_no_eval() -> None:
    error = refusal(FILES[MMLU], "results.json")
    assert "must be called EVAL_MODEL_DATE.json" in error
    assert "got results.json" in error
    attempt = only_attempt(FILES[MMLU], "results.json", participant="atlas")
    assert attempt.values["simple-evals.score"] == 0.5


def test_examples_without_a_score_have_failed_and_do_not_count_as_in_the_tool() -> None:
    examples = [{"prompt_id": "a", "score": 0.5}, {"prompt_id": "b", "score": None}]
    contents = imported(whole(*examples), participant="atlas")
    (attempt,) = contents.attempts
    assert [sample["rewards"] for sample in attempt.samples] == [{"score": 0.5}, {"score": None}]
    (mean,) = contents.suggested["metrics"]
    assert value_of(attempt, mean) == attempt.file_metrics["mean:score"] == 0.5


def test_repeated_prompts_are_samples_of_one_task() -> None:
    examples = [{"prompt_id": "a", "score": score} for score in (0.0, 1.0)]
    attempt = only_attempt(whole(*examples), participant="atlas")
    assert [(sample["task"], sample["sample"]) for sample in attempt.samples] == [
        ("a", 0),
        ("a", 1),
    ]


def test_a_clipped_mean_is_not_compared() -> None:
    contents = imported(whole({"prompt_id": "a", "score": -0.5}, score=0.0), participant="atlas")
    assert contents.attempts[0].file_metrics == {"score": 0.0}
    assert contents.attempts[0].specs == {}


def test_a_score_that_is_none_is_no_value() -> None:
    contents = imported(whole(score=None, metrics={"f1": 0.5, "em": None}), participant="atlas")
    assert contents.attempts[0].values == {"f1": 0.5}


def test_other_files_with_a_score_are_not_recognised() -> None:
    for other in (
        {"score": 1.0},
        {"score": 1.0, "name": "x", "score:std": 0.1},
        {"score": 1.0, "other:std": 0.1},
        {"score:std": 0.1},
    ):
        assert "known format" in refusal(
            json.dumps(other).encode(), "mmlu_m_20261122_101500.json"
        ), other


def test_errors_name_a_wrong_file() -> None:
    cases: list[tuple[bytes, str]] = [
        (whole(score="x"), "score: a number"),
        (whole(metrics=[]), "metrics: an object"),
        (whole(metrics={"f1": float("inf")}), "metrics.f1: a finite number"),
        (whole({"prompt_id": 7, "score": 1}), "[0].prompt_id: a text"),
        (whole({"prompt_id": "a", "score": "x"}), "[0].score: a number"),
    ]
    for upload, message in cases:
        assert_refused(upload, message, MMLU)
