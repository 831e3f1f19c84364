"""EvalPlus: the statuses of solutions as rewards.

The fixture is real: `evalplus.evaluate` 0.3.1 over three invented problems with three solutions
each; it printed pass@1 0.667 for the base tests and 0.444 with the extra ones.
"""

import json
from typing import Any

from tests.importers.arithmetic import value_of
from tests.importers.uploads import assert_refused, folder, imported, only_attempt, refusal

NAME = "org--coder-7b_vllm_temp_0.8_eval_results.json"


def results(*solutions: Any, **fields: Any) -> bytes:
    """Return results of one task."""
    return json.dumps({"date": "d", "hash": "h", "eval": {"T/0": solutions}, **fields}).encode()


def solution(base: Any = "pass", plus: Any = "pass") -> dict[str, Any]:
    return {"solution": "PRIVATE", "base_status": base, "plus_status": plus}


def rewards(upload: bytes) -> list[Any]:
    attempt = only_attempt(upload, participant="atlas")
    return [sample["rewards"] for sample in attempt.samples]


def test_a_real_evaluation_is_read() -> None:
    contents = imported(folder("evalplus"))
    (attempt,) = contents.attempts
    assert attempt.participant == "org/coder-7b"
    assert attempt.meta["job"] == "vllm_temp_0.8"
    assert attempt.meta["dataset"] == "HumanEval+"
    assert len(attempt.samples) == 9
    plus, base = contents.suggested["metrics"]
    assert plus == {"type": "pass@1:unbiased", "name": "pass@1:unbiased:plus", "reward": "plus"}
    assert round(value_of(attempt, base), 3) == 0.667
    assert round(value_of(attempt, plus), 3) == 0.444


def test_a_solution_passes_the_extra_tests_only_with_the_base_tests() -> None:
    given = results(
        solution("fail", "pass"), solution("timeout", "timeout"), solution("pass", "fail")
    )
    assert rewards(given) == [
        {"base": 0.0, "plus": 0.0},
        {"base": 0.0, "plus": 0.0},
        {"base": 1.0, "plus": 0.0},
    ]


def test_without_extra_tests_plus_is_undefined() -> None:
    assert rewards(results(solution("pass", None))) == [{"base": 1.0}]


def test_the_older_form_is_read() -> None:
    task = {"nfiles": 2, "base": [["pass", [1]], ["fail", [0]]], "plus": [["pass", [1]]]}
    upload = json.dumps({"date": "d", "hash": "h", "eval": {"T/0": task}}).encode()
    assert rewards(upload) == [{"base": 1.0, "plus": 1.0}, {"base": 0.0}]


def test_stated_pass_at_k_is_compared() -> None:
    stated = {"base": {"pass@1": 1.0}, "plus": {"pass@1": 0.5, "other": 3}}
    upload = results(solution(), solution("pass", "fail"), pass_at_k=stated)
    attempt = only_attempt(upload, "m_eval_results.json")
    assert attempt.file_metrics == {"pass@1:unbiased:base": 1.0, "pass@1:unbiased:plus": 0.5}
    assert all(
        value_of(attempt, spec) == attempt.file_metrics[key] for key, spec in attempt.specs.items()
    )


def test_ten_solutions_allow_pass_at_10() -> None:
    contents = imported(results(*[solution()] * 10), participant="atlas")
    assert [metric["name"] for metric in contents.suggested["metrics"]] == [
        "pass@1:unbiased:plus",
        "pass@10:unbiased:plus",
        "pass@1:unbiased:base",
        "pass@10:unbiased:base",
    ]


def test_the_model_is_read_from_the_file_name() -> None:
    cases: list[tuple[str, str]] = [
        ("gpt-4_temp_0.0.eval_results.json", "gpt-4"),
        ("a--b-1.5_hf_temp_0.8_eval_results.json", "a/b-1.5"),
        ("mine_eval_results.json", "mine"),
    ]
    for name, model in cases:
        assert only_attempt(results(solution()), name).participant == model, name


def test_a_file_without_a_model_needs_a_participant() -> None:
    for name in ("eval_results.json", "samples_eval_results.json", "upload"):
        assert "participant: must be given" in refusal(results(solution()), name)


def test_lists_of_other_objects_are_of_no_known_format() -> None:
    for other in ({"status": "pass"}, "base_status", {}):
        assert "known format" in refusal(results(other), participant="atlas"), other


def test_errors_name_a_wrong_status() -> None:
    cases: list[tuple[Any, str]] = [
        (solution("passed"), "eval.T/0[0].base_status: one of pass, fail, timeout"),
        (solution("pass", 1), "eval.T/0[0].plus_status: one of"),
        (solution(None), "eval.T/0[0].base_status: one of"),
    ]
    for given, message in cases:
        assert_refused(results(given), message, NAME)
    assert_refused(results(solution(), "x"), "eval.T/0[1]: an object", NAME)
