"""Formats that hold values only: lighteval, Open LLM Leaderboard, Evaluate, CodaLab.

`hf-evaluate.json` was written by `evaluate.save` of evaluate 0.4.6, with the interpreter's path
changed. `lighteval.json` is written after the source of lighteval 0.13 (`generate_final_dict`; it
needs PyTorch to run), `open-llm-v1.json` after results files that its model cards quote,
`open-llm-rows.json` after the columns of the `contents` data set, and `codalab` after the manual of
CodaLab and Codabench. Their numbers are made up.
"""

import json
from typing import Any

import pytest

from leaderboard.facts import known_facts, rankable_keys
from leaderboard.importers import Import
from leaderboard.importers.reading.reported_numbers import MAX_VALUES, RESERVED, value_key
from leaderboard.rules.texts.value_names import ECONOMICS, is_value_name
from leaderboard.services.attempts import evidence
from scorers.metrics.registry import SHIPPED
from tests.importers.uploads import FIXTURES, assert_refused, imported, lines, only_attempt, refusal


def document(name: str, **fields: Any) -> bytes:
    """Return a fixture with other fields."""
    return json.dumps({**json.loads((FIXTURES / name).read_text()), **fields}).encode()


def first_key(contents: Import) -> str:
    return str(contents.suggested["rank_by"][0]["key"])


def test_results_of_lighteval_are_read() -> None:
    contents = imported(FIXTURES / "lighteval.json")
    (attempt,) = contents.attempts
    assert attempt.participant == "org/large-1"
    assert attempt.values == {
        "all.extractive_match": 0.5,
        "all.acc": 0.5,
        "mmlu:_average:5.acc": 0.5,
        "gsm8k:0.extractive_match": 0.5,
        "mmlu:anatomy:5.acc": 0.25,
        "mmlu:astronomy:5.acc": 0.75,
    }
    assert first_key(contents) == "all.extractive_match"


def test_a_single_task_of_lighteval_is_listed_once() -> None:
    results = {"gsm8k:0": {"em": 0.5}, "all": {"em": 0.5}}
    attempt = only_attempt(document("lighteval.json", results=results))
    assert attempt.values == {"gsm8k:0.em": 0.5}


def test_values_beyond_the_limit_of_an_attempt_are_only_stated() -> None:
    results = {f"mmlu:{at}:5": {"acc": 0.5, "acc_stderr": 0.1} for at in range(150)}
    contents = imported(document("lighteval.json", results={**results, "all": {"acc": 0.5}}))
    (attempt,) = contents.attempts
    assert len(attempt.values) == MAX_VALUES == evidence.MAX_VALUES
    assert len(attempt.file_metrics) == 51
    assert "all.acc" in attempt.values
    assert "151 numbers; the first 100" in contents.warnings[0]


def test_parquet_beside_results_is_not_read() -> None:
    results = (FIXTURES / "lighteval.json").read_bytes()
    contents = imported({"results/org/results_2026.json": results, "details/d.parquet": b"PAR1"})
    (warning,) = contents.warnings
    assert warning.startswith("details_*.parquet are not read")


def test_errors_name_a_broken_file_of_an_archive() -> None:
    results = (FIXTURES / "lighteval.json").read_bytes()
    contents = imported({"results_1.json": results, "results_2.json": b'{"config'})
    assert contents.warnings[0].startswith("left out: results_2.json: must be JSON")


def test_errors_name_wrong_results_of_lighteval() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"results": {"a": {"acc": None}}}, "results: a number"),
        ({"results": {"a": 1}}, "results.a: an object"),
        ({"results": {"a\n": {"acc": 1}}}, "results.a?: control characters"),
        (
            {"config_general": {"lighteval_sha": "?", "max_samples": -1}},
            "max_samples: whole number",
        ),
        ({"config_general": {"lighteval_sha": "?"}}, "participant: given"),
        ({"config_general": []}, "results of lighteval"),
    ]
    for fields, message in cases:
        assert_refused(document("lighteval.json", **fields), message, format="lighteval")


def test_results_of_the_first_open_llm_leaderboard_are_read() -> None:
    contents = imported(FIXTURES / "open-llm-v1.json")
    (attempt,) = contents.attempts
    assert attempt.values == {
        "Average": pytest.approx((0.55 + 0.75 + 0.5 + 0.45 + 0.75 + 0.5) / 6),
        "ARC": 0.55,
        "HellaSwag": 0.75,
        "MMLU": 0.5,
        "TruthfulQA": 0.45,
        "Winogrande": 0.75,
        "GSM8K": 0.5,
    }
    assert attempt.meta["precision"] == "torch.bfloat16"
    assert first_key(contents) == "Average"


def test_there_is_no_average_over_fewer_benchmarks() -> None:
    results = {"harness|arc:challenge|25": {"acc_norm": 0.5}}
    attempt = only_attempt(document("open-llm-v1.json", results=results))
    assert attempt.values == {"ARC": 0.5}


def test_rows_of_the_second_open_llm_leaderboard_are_read() -> None:
    contents = imported(FIXTURES / "open-llm-rows.json")
    first, second = contents.attempts
    assert first.participant == "org/large-1"
    assert first.values["Average"] == 21.5
    assert first.values["MATH_Lvl_5"] == 10.0
    assert {"key": "MATH_Lvl_5", "label": "MATH Lvl 5"} in contents.suggested["columns"]
    assert second.values == {"IFEval": 10.0}


def test_rows_from_the_viewer_and_rows_as_lines_are_read() -> None:
    rows = json.loads((FIXTURES / "open-llm-rows.json").read_text())
    viewed = json.dumps({"rows": [{"row_idx": at, "row": row} for at, row in enumerate(rows)]})
    plain = imported(FIXTURES / "open-llm-rows.json").attempts
    assert imported(viewed.encode()).attempts == plain
    assert imported(lines(*rows)).attempts == plain


def test_the_api_of_the_second_open_llm_leaderboard_is_read() -> None:
    entry = {
        "id": "1",
        "model": {
            "name": "org/large-1",
            "sha": "84",
            "precision": "bfloat16",
            "average_score": 21.5,
        },
        "evaluations": {
            "ifeval": {"name": "IFEval", "value": 0.5, "normalized_score": 50.0},
            "bbh": {"name": "BBH", "value": 0.4, "normalized_score": None},
        },
    }
    attempt = only_attempt(json.dumps([entry]).encode())
    assert attempt.participant == "org/large-1"
    assert attempt.values == {"Average": 21.5, "IFEval": 50.0}


def test_a_board_made_from_the_template_is_read() -> None:
    text = {
        "config": {"model_name": "org/large-1", "model_sha": "main", "model_dtype": "float16"},
        "results": {"anli_r1": {"acc": 0.5}, "logiqa": {"acc_norm": 0.25}},
    }
    attempt = only_attempt(json.dumps(text).encode())
    assert attempt.values == {"anli_r1.acc": 0.5, "logiqa.acc_norm": 0.25}


def test_results_of_the_second_generation_have_the_format_of_the_harness() -> None:
    text = {
        "results": {"leaderboard_gpqa": {"acc_norm,none": 0.3, "alias": "gpqa"}},
        "configs": {"leaderboard_gpqa": {}},
        "versions": {},
        "n-shot": {},
        "config": {"model": "hf", "model_name": "org/large-1", "model_sha": "main"},
        "model_name": "org/large-1",
        "date": 1718558676.5,
    }
    contents = imported(json.dumps(text).encode())
    assert contents.format == "lm-eval"
    assert contents.attempts[0].values == {"leaderboard_gpqa.acc_norm": 0.3}


def test_errors_name_wrong_files_of_the_open_llm_leaderboard() -> None:
    cases: list[tuple[Any, str]] = [
        (
            {
                "model": "org/a",
                "revision": "main",
                "precision": "bfloat16",
                "status": "FINISHED",
                "submitted_time": "2024",
                "weight_type": "Original",
            },
            "got a request for an evaluation",
        ),
        ([{"fullname": "a", "Average": 1}, {"x": 1}], "[1]: results"),
        ([{"fullname": "a", "Average": None}], "[0]: a number"),
        ([{"Average": 1, "fullname": ""}], "given with the upload"),
        ({"results": {"harness|gsm8k|5": [1]}, "config_general": {}}, "must be an object"),
    ]
    for upload, message in cases:
        assert_refused(json.dumps(upload).encode(), message, format="open-llm-leaderboard")


def test_results_saved_by_evaluate_are_read() -> None:
    contents = imported(FIXTURES / "hf-evaluate.json")
    (attempt,) = contents.attempts
    assert attempt.participant == "org/large-1"
    assert attempt.values == {"accuracy": 0.75, "f1.macro": 0.5, "f1.micro": 0.75, "seed": 7.0}
    assert attempt.meta == {"model": "org/large-1", "harness": "evaluate 0.4.6"}
    assert first_key(contents) == "accuracy"


def test_each_saved_result_becomes_an_attempt() -> None:
    files = {
        f"result-{at}.json": document("hf-evaluate.json", _timestamp=f"2026-01-0{at}T00:00:00Z")
        for at in (1, 2)
    }
    times = [attempt.submitted_at for attempt in imported(files).attempts]
    assert [time.day for time in times if time] == [1, 2]


def test_errors_name_wrong_results_of_evaluate() -> None:
    cases: list[tuple[str, str]] = [
        ('{"_timestamp": 1, "_evaluate_version": "0", "a": "b"}', "must contain a number"),
        ('{"_timestamp": "x", "_evaluate_version": "0", "a": 1, "model": "m"}', "_timestamp: must"),
        ('{"_timestamp": null, "_evaluate_version": null, "a": 1}', "given with the upload"),
        ('{"accuracy": 1}', "result of evaluate.save"),
        ('{"accuracy": ', "must be JSON"),
    ]
    for text, message in cases:
        assert_refused(text.encode(), message, format="hf-evaluate")


def test_the_output_of_a_scoring_program_is_read() -> None:
    contents = imported(FIXTURES / "codalab", participant="atlas")
    (attempt,) = contents.attempts
    assert attempt.values == {"set1_score": 0.87, "set2_score": 0.5, "codalab.score": 12.0}
    assert "scores.txt: loss" in contents.warnings[0]
    assert first_key(contents) == "set1_score"


def test_a_single_file_of_scores_is_recognised_by_its_name() -> None:
    text = b'{"accuracy": 0.5, "time": null}'
    assert imported(text, "scores.json", participant="atlas").format == "codalab"
    assert "known format" in refusal(text, "numbers.json", participant="atlas")
    contents = imported(text, "numbers.json", participant="atlas", format="codalab")
    assert contents.attempts[0].values == {"accuracy": 0.5}


def test_json_takes_precedence_over_text_in_one_folder() -> None:
    files = {
        "a/scores.json": b'{"acc": 1}',
        "a/scores.txt": b"acc: 2",
        "b/scores.txt": b"acc: 3",
        "b/metadata": b"x",
    }
    contents = imported(files, participant="atlas")
    assert [attempt.values for attempt in contents.attempts] == [{"acc": 1.0}, {"acc": 3.0}]


def test_errors_name_wrong_scores() -> None:
    cases: list[tuple[bytes, str]] = [
        (b"acc: 1\nhello\n", "line 2: `key"),
        (b"acc: 1\nacc: 2\n", "line 2: 'acc' once"),
        (b"acc: 1\n\xff: 2\n", "line 2: UTF-8"),
        (b"acc: nan\n", "file: a score"),
        (b'{"acc": "high"}', "acc: a number"),
        (b'{"acc": 1, "acc": 2}', "file: 'acc' once"),
        (b'{"acc": 1e999}', "file: a score"),
        (b'{"faithfulness": 1}', "got means of Ragas"),
    ]
    for text, message in cases:
        assert_refused(text, message, format="codalab", participant="atlas")


def test_a_label_becomes_a_key() -> None:
    cases: list[tuple[str, str]] = [
        ("acc", "acc"),
        ("eval/f1 score", "eval_f1_score"),
        ("Average ⬆️", "Average"),
        ("score", "x.score"),
        ("Mean", "x.Mean"),
        ("pass@1", "x.pass@1"),
        ("日本語", "value"),
        ("", "value"),
        ("a" * 200, "a" * 80),
    ]
    for label, key in cases:
        assert value_key(label, "x") == key, label
        assert is_value_name(key), label


def test_names_with_a_meaning_of_their_own_are_reserved() -> None:
    metrics = {name for name in SHIPPED if not name.startswith(("pass_at", "pass_hat"))}
    assert metrics | {*rankable_keys(), *ECONOMICS, *known_facts()} <= RESERVED


def test_many_labels_may_have_one_key() -> None:
    """With a search of quadratic time this test would take minutes."""
    labels = (f"{chr(0x4E00 + at // 1000)}{chr(0x4E00 + at % 1000)}" for at in range(30_000))
    upload = json.dumps(dict.fromkeys(labels, 1)).encode()
    attempt = only_attempt(upload, format="codalab", participant="atlas")
    assert len(attempt.values) == MAX_VALUES


def test_two_labels_never_share_a_key() -> None:
    attempt = only_attempt(b'{"a/b": 1, "a b": 2, "a_b": 3}', "scores.json", participant="atlas")
    assert attempt.values == {"a_b": 1.0, "a_b-2": 2.0, "a_b-3": 3.0}
