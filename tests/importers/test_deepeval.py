"""DeepEval. deepeval 4.3.1 wrote the fixtures: five cases with two metrics, one of which raises."""

import json
from typing import Any

from tests.importers.uploads import FIXTURES, assert_refused, imported, only_attempt, rewards_of

RUN: dict[str, Any] = json.loads((FIXTURES / "deepeval.json").read_text())["testRunData"]


def run(*cases: dict[str, Any], **fields: Any) -> bytes:
    """Return a run of these cases."""
    whole = {"testCases": list(cases), "metricsScores": [], "identifier": "nightly", **fields}
    return json.dumps(whole).encode()


def case(*scores: Any, **fields: Any) -> dict[str, Any]:
    """Return a case with metrics m0, m1, … of these scores."""
    metrics = [{"name": f"m{at}", "score": score} for at, score in enumerate(scores)]
    return {"name": "t", "metricsData": metrics, "success": True, **fields}


def rewards(*cases: dict[str, Any]) -> list[Any]:
    return [sample["rewards"] for sample in only_attempt(run(*cases)).samples]


def test_a_real_run_is_read() -> None:
    contents = imported(FIXTURES / "deepeval.json")
    (attempt,) = contents.attempts
    assert contents.warnings == []
    assert attempt.participant == "large-1"
    assert attempt.meta == {"model": "large-1", "job": "nightly", "harness": "DeepEval"}
    assert [rewards_of(sample)["Word Overlap"] for sample in attempt.samples] == [
        0.5,
        1,
        0,
        None,
        0.5,
    ]
    assert attempt.samples[3]["error"] == "Word Overlap: ValueError: the judge gave no JSON"
    assert attempt.samples[1]["usage"] == {
        "tokens_total": 15,
        "input_tokens": 10,
        "output_tokens": 5,
        "elapsed_ms": 500,
        "cost_usd": 0.01,
    }


def test_the_tools_own_numbers_are_read() -> None:
    attempt = only_attempt(FIXTURES / "deepeval.json")
    means = {metric["metric"]: metric["scores"] for metric in RUN["metricsScores"]}
    assert attempt.file_metrics == {
        "mean:passed": RUN["testPassed"] / (RUN["testPassed"] + RUN["testFailed"]),
        **{f"mean:{name}": sum(scores) / len(scores) for name, scores in means.items()},
    }
    assert set(attempt.specs) == set(attempt.file_metrics), "test_formats compares their values"


def test_the_first_suggested_metric_is_passing() -> None:
    metrics = imported(FIXTURES / "deepeval.json").suggested["metrics"]
    assert [metric["reward"] for metric in metrics] == ["passed", "Exact Match", "Word Overlap"]


def test_the_result_of_evaluate_has_the_same_rewards() -> None:
    run = only_attempt(FIXTURES / "deepeval.json")
    evaluated = only_attempt(FIXTURES / "deepeval-result.json", participant="atlas")
    assert [sample["rewards"] for sample in evaluated.samples] == [
        sample["rewards"] for sample in run.samples
    ]


def test_a_folder_of_deepeval_has_one_run() -> None:
    files = {
        ".deepeval/.latest_test_run.json": (FIXTURES / "deepeval.json").read_bytes(),
        ".deepeval/.latest_run_full.json": json.dumps(RUN).encode(),
        ".deepeval/.deepeval-cache.json": b"{}",
    }
    assert len(imported(files).attempts) == 1


def test_nan_and_null_count_as_not_scored() -> None:
    assert rewards(case(float("nan"), 1), case(None, None), case()) == [
        {"m0": None, "m1": 1.0, "passed": 1.0},
        None,
        None,
    ]


def test_a_repeated_name_is_another_sample() -> None:
    samples = only_attempt(run(case(1), case(0))).samples
    assert [(sample["task"], sample["sample"]) for sample in samples] == [("t", 0), ("t", 1)]


def test_conversations_are_cases_too() -> None:
    upload = run(case(1), conversationalTestCases=[case(0, name="talk", turns=[])])
    assert [sample["task"] for sample in only_attempt(upload).samples] == ["t", "talk"]


def test_scores_of_spans_are_not_compared() -> None:
    scores = {"metric": "m0", "scores": [1, 0.5], "passes": 2, "fails": 0, "errors": 0}
    contents = imported(run(case(1), metricsScores=[scores]))
    assert contents.attempts[0].file_metrics == {"m0 over 2 scores": 0.75}
    assert contents.attempts[0].specs == {}
    assert "m0: 1 of its 2" in contents.warnings[0]


def test_errors_name_a_wrong_run() -> None:
    cases: list[tuple[bytes, str]] = [
        (run(), "file: a test case"),
        (run(case(1), identifier=None), "given with the upload"),
        (run(case(1), case("x")), "testCases[1].metricsData[0].score: a number"),
        (run(case(10**400)), "testCases[0].metricsData[0].score: a finite number"),
        (run(case(1, name=None)), "testCases[0].name: a text"),
        (run(case(1, name="a\n")), "testCases[0].name: control characters"),
        (run(case(1, metricsData=3)), "testCases[0].metricsData: a list"),
        (run(case(1, completionTime=-1)), "testCases[0].completionTime: a number"),
        (
            run(case(metricsData=[{"name": "a", "score": 1}] * 2)),
            "testCases[0].metricsData[1]: only metric called 'a' of this test case; got a second",
        ),
        (run(case(1), testPassed=-1, testFailed=1), "testPassed: a whole number"),
        (b'{"testCases": [', "file: JSON"),
        (b'{"testCases": []}', "file: a test run of DeepEval"),
    ]
    for upload, message in cases:
        assert_refused(upload, message, format="deepeval")
