"""promptfoo: columns as attempts, tests as tasks, in both versions of its results.

The fixtures are real: `promptfoo.json` and `.jsonl` from promptfoo 0.123.1 (version 3 of the
results), `promptfoo-v2.json` from 0.55.0, with providers that echo, shout, or answer with an error.
"""

import json
from typing import Any

from leaderboard.importers import Import
from tests.importers.uploads import assert_refused, folder, imported, lines, only_attempt, refusal


def document(*rows: dict[str, Any], prompts: list[Any] | None = None, **fields: Any) -> bytes:
    """Return results of version 3."""
    results = {
        "version": 3,
        "results": list(rows),
        "prompts": prompts or [],
        "stats": {"successes": 0},
        **fields,
    }
    return json.dumps({"evalId": "e", "results": results, "config": {}}).encode()


def row(test: int = 0, column: int = 0, **fields: Any) -> dict[str, Any]:
    return {
        "testIdx": test,
        "promptIdx": column,
        "provider": {"id": f"model-{column}"},
        "prompt": {"raw": "PRIVATE", "label": "PRIVATE {{x}}"},
        "vars": {"x": test},
        "testCase": {"vars": {"x": test}},
        "response": {"output": "PRIVATE"},
        "success": True,
        "score": 1,
        "namedScores": {},
        "failureReason": 0,
        **fields,
    }


def rewards(contents: Import) -> list[Any]:
    return [sample["rewards"] for attempt in contents.attempts for sample in attempt.samples]


def test_a_real_evaluation_is_read() -> None:
    contents = imported(folder("promptfoo.json")["promptfoo.json"], "out.json")
    parrot, flaky = contents.attempts
    assert (parrot.participant, flaky.participant) == ("parrot", "flaky-model")
    assert parrot.meta["harness"] == "promptfoo 0.123.1"
    assert [(sample["task"], sample["sample"]) for sample in flaky.samples[:3]] == [
        ("says hello", 0),
        ("says hello", 1),
        ("test-2-b405fd7f", 0),
    ]
    assert flaky.samples[0]["rewards"] == {
        "pass": 0.0,
        "score": 1 / 3,
        "contains": 1.0,
        "exact case": 0.0,
    }
    assert flaky.file_metrics == {
        "mean:pass": 0.0,
        "sum:score": 2 / 3,
        "sum:contains": 2.0,
        "namedScores.exact case": 0.0,
    }
    assert set(flaky.specs) == {"mean:pass", "sum:score", "sum:contains"}
    assert flaky.metrics["tokens_total"] == 48
    assert contents.suggested["rank_by"] == [{"key": "mean:pass", "direction": "desc"}]


def test_a_failed_call_has_the_first_line_of_its_error() -> None:
    contents = imported(folder("promptfoo.json")["promptfoo.json"])
    broken = [sample for sample in contents.attempts[1].samples if sample["error"]]
    assert [sample["rewards"] for sample in broken] == [{"pass": None, "score": None}] * 2
    assert {sample["error"] for sample in broken} == {"API error: 500 Internal Server Error"}


def test_an_older_evaluation_has_the_same_rewards() -> None:
    older = imported(folder("promptfoo-v2.json")["promptfoo-v2.json"])
    assert [attempt.participant for attempt in older.attempts] == [
        "prompt 1 (flaky-model)",
        "prompt 1 (loud-model)",
        "prompt 2 (flaky-model)",
        "prompt 2 (loud-model)",
    ]
    assert older.attempts[0].samples[0]["task"] == "says hello"
    assert [sample["rewards"] for sample in older.attempts[0].samples] == [
        {"pass": 0.0, "score": 1 / 3, "contains": 1.0, "exact case": 0.0},
        {"pass": None, "score": None},
        {"pass": 0.0, "score": 0.0, "contains": 0.0},
    ]
    assert older.attempts[1].file_metrics["mean:pass"] == 1.0


def test_the_rows_alone_give_the_same() -> None:
    whole = imported(folder("promptfoo.json")["promptfoo.json"])
    alone = imported(folder("promptfoo.jsonl")["promptfoo.jsonl"])
    by_name = {attempt.meta["model"]: attempt.samples for attempt in whole.attempts}
    assert [attempt.meta["model"] for attempt in alone.attempts] == ["parrot", "flaky-model"]
    assert [len(attempt.samples) for attempt in alone.attempts] == [6, 6]
    for attempt in alone.attempts:
        assert attempt.file_metrics == {}
        assert [(sample["task"], sample["rewards"]) for sample in attempt.samples] == [
            (sample["task"], sample["rewards"]) for sample in by_name[attempt.meta["model"]]
        ]


def test_prompts_are_named_by_their_labels() -> None:
    prompts = [
        {"raw": "PRIVATE {{x}}", "label": "short", "provider": "m"},
        {"raw": "PRIVATE two", "label": "PRIVATE two", "provider": "m"},
        {"raw": "PRIVATE three", "label": "file.txt: PRIVATE three", "provider": "m"},
    ]
    rows = [
        row(0, at, prompt={"raw": "r", "label": prompt["label"]})
        for at, prompt in enumerate(prompts)
    ]
    contents = imported(document(*rows, prompts=prompts))
    assert [attempt.participant for attempt in contents.attempts] == [
        "short (m)",
        "prompt 2 (m)",
        "prompt 3 (m)",
    ]
    assert "PRIVATE" not in repr(contents)


def test_two_columns_of_one_provider_are_distinguished() -> None:
    prompts = [{"raw": "r", "label": "r", "provider": "m"}] * 2
    twice = [row(0, at, provider={"id": "m"}) for at in range(2)]
    attempts = imported(document(*twice, prompts=prompts)).attempts
    assert [attempt.participant for attempt in attempts] == ["prompt 1 (m)", "prompt 2 (m)"]


def test_values_that_the_tool_does_not_define_are_undefined() -> None:
    contents = imported(document(row(score=None, namedScores={"f1": float("nan"), "em": True})))
    assert rewards(contents) == [{"pass": 1.0, "em": 1.0}]


def test_a_named_score_does_not_replace_the_score() -> None:
    contents = imported(document(row(namedScores={"score": 0.25, "pass": 0.5})))
    assert rewards(contents) == [
        {"pass": 1.0, "score": 1.0, "named.score": 0.25, "named.pass": 0.5}
    ]


def test_tests_with_one_description_are_distinguished() -> None:
    cases = [{"description": "same", "vars": {"x": at}} for at in range(2)]
    contents = imported(document(*(row(at, testCase=case) for at, case in enumerate(cases))))
    first, second = (sample["task"] for sample in contents.attempts[0].samples)
    assert first == "same"
    assert second.startswith("same-2-")


def test_rows_may_come_in_any_order() -> None:
    places = [(test, column) for test in range(3) for column in range(2)]
    rows = [row(*place, provider={"id": "model"}, prompt={}) for place in places]
    ordered, turned = (imported(document(*order)).attempts for order in (rows, rows[::-1]))
    assert [(attempt.participant, attempt.source_id, attempt.samples) for attempt in turned] == [
        (attempt.participant, attempt.source_id, attempt.samples) for attempt in ordered
    ]


def test_a_cached_answer_took_no_time() -> None:
    response = {"output": "x", "cached": True, "tokenUsage": {"total": 7}, "cost": 0.5}
    (sample,) = only_attempt(document(row(response=response, latencyMs=1))).samples
    assert sample["usage"] == {"tokens_total": 7, "cost_usd": 0.5}


def test_a_weighted_named_score_is_not_compared() -> None:
    metrics = {"namedScores": {"f1": 4.0}, "namedScoresCount": {"f1": 1}}
    for weights, name in (({"f1": 1}, "sum:f1"), ({"f1": 4}, "namedScores.f1")):
        head = {"provider": "m", "metrics": {**metrics, "namedScoreWeights": weights}}
        contents = imported(document(row(namedScores={"f1": 4.0}), prompts=[head]))
        assert contents.attempts[0].file_metrics == {name: 4.0}


def test_a_difference_from_the_stated_value_is_visible() -> None:
    metrics = {"testPassCount": 3, "testFailCount": 1, "score": 9.5}
    contents = imported(document(row(), prompts=[{"provider": "m", "metrics": metrics}]))
    assert contents.attempts[0].file_metrics == {"mean:pass": 0.75, "sum:score": 9.5}
    assert set(contents.attempts[0].specs) == {"mean:pass", "sum:score"}


def test_errors_name_a_wrong_row() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"success": "yes"}, "results.results[0].success: a number"),
        ({"score": float("inf")}, "results.results[0].score: a finite number"),
        ({"namedScores": {"f1": "x"}}, "results.results[0].namedScores.f1: a number"),
        ({"namedScores": {"a\n": 1}}, "control characters"),
        ({"testIdx": -1}, "results.results[0].testIdx: a whole number"),
        ({"promptIdx": "x"}, "results.results[0].promptIdx: a number"),
        ({"latencyMs": -5}, "results.results[0].latencyMs: a number from 0"),
        ({"provider": 7}, "results.results[0].provider: an object"),
    ]
    for fields, message in cases:
        assert_refused(document(row(**fields)), message, "out.json")


def test_errors_name_a_wrong_line() -> None:
    upload = lines(row()) + b"{broken\n"
    assert "out.jsonl, line 2: must be JSON" in refusal(upload, "out.jsonl")


def test_a_provider_without_a_name_needs_a_participant() -> None:
    upload = document(row(provider={}))
    assert "participant: must be given" in refusal(upload)
    assert only_attempt(upload, participant="atlas").participant == "atlas"


def test_a_file_without_results_is_refused() -> None:
    assert "results of promptfoo" in refusal(document())
