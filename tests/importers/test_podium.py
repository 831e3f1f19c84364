"""The product's own formats: attempts as they are submitted, and tables."""

from datetime import UTC, datetime
from typing import Any

import pytest

from leaderboard.importers import ImportFailed
from leaderboard.rules.rewards.instances import Instance
from leaderboard.schemas.documents import parse_document
from tests.importers.tables import text
from tests.importers.uploads import FIXTURES, assert_refused, imported, lines, only_attempt, refusal


def attempt(**fields: Any) -> dict[str, Any]:
    return {"participant": "atlas", "values": {"solved": 9}, **fields}


def test_lines_are_attempts_as_submitted() -> None:
    atlas, borealis, cumulus, delta = imported(FIXTURES / "attempts.jsonl").attempts
    assert atlas.metrics == {
        "succeeded": True,
        "tokens_total": 1500,
        "elapsed_ms": 12500,
        "rating": 8.0,
        "cost_usd": 0.04,
    }
    assert atlas.meta == {"model": "large-1"}
    assert atlas.submitted_at == datetime(2026, 11, 20, 8, tzinfo=UTC)
    assert borealis.values == {"solved": 9.0, "penalty_minutes": 995.0}
    assert [(s["task"], s["sample"], s["rewards"]) for s in cumulus.samples] == [
        ("task-1", 0, {"reward": 1.0}),
        ("task-1", 1, {"reward": 0.0}),
        ("task-1", 2, None),
        ("task-2", 0, {"reward": 1.0}),
    ]
    assert delta.samples[0]["usage"] == {"tokens_total": 900, "elapsed_ms": 4000, "cost_usd": 0.01}
    assert delta.samples[1]["error"] == "container died"
    assert delta.fields == {"note": "second run"}


def test_a_line_may_say_how_it_was_run() -> None:
    run = {"tool": "harbor", "conditions": {"timeout": 2.5}}
    of_sample = {"id": "x", "evidence": ["trajectory"], "tokens": {"input": 5}}
    sample = {"task": "t", "rewards": {"reward": 1}, "run": of_sample}
    submitted = only_attempt(lines({"participant": "atlas", "samples": [sample], "run": run}))
    assert (submitted.run, submitted.samples[0]["run"]) == (run, of_sample)


def test_a_line_may_have_model_outputs() -> None:
    document = {"instances": [{"id": "1", "actual-output": "x", "more": [None, {"deep": 1}]}]}
    rows: list[dict[str, Any]] = [
        {"evaluation": document},
        {"outputs": {"1": "x", "2": None}},
    ]
    first, second = imported(lines(*({"participant": "atlas", **row} for row in rows))).attempts
    assert first.evaluation == parse_document(document)
    assert first.outputs is None
    assert second.evaluation is None
    assert second.outputs == [Instance("1", outputs=("x",)), Instance("2")]


def test_errors_of_model_outputs_name_the_line() -> None:
    good = {"participant": "atlas", "outputs": {"1": "x"}}
    wrong = {"participant": "atlas", "evaluation": {"instances": [{"id": 1}, {"id": "1"}]}}
    assert_refused(lines(good, wrong), "line 2, evaluation.instances.1.id: got 1 twice")
    assert "line 1, outputs.7: must be a text of at most" in refusal(
        lines({"participant": "atlas", "outputs": {"7": 7}})
    )


def test_two_equal_lines_are_two_attempts_with_two_ids() -> None:
    first, second = imported(lines(attempt(), attempt())).attempts
    assert first.source_id != second.source_id


def test_a_line_keeps_its_id_when_others_are_added() -> None:
    first = only_attempt(lines(attempt()))
    assert imported(lines(attempt(participant="b"), attempt())).attempts[1].source_id == (
        first.source_id
    )


def test_the_participant_may_be_given_instead() -> None:
    upload = lines({"values": {"solved": 1}})
    assert only_attempt(upload, participant="atlas").participant == "atlas"
    assert "line 1, participant: must be a text" in refusal(upload)


def test_errors_name_a_wrong_field() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"participant": "a\u202eb"}, "participant: not hold"),
        ({"participant": " "}, "participant: 1 to 120 characters"),
        ({"values": {"x": "1"}}, "values.x: a number"),
        ({"values": {"x": float("nan")}}, "values.x: a finite number"),
        ({"values": {"x": True}}, "values.x: a number"),
        ({"metrics": {"succeeded": 1}}, "metrics.succeeded: true or false"),
        ({"metrics": {"rating": 11}}, "metrics.rating: a number from 0 to 10"),
        ({"metrics": {"tokens_total": 1.5}}, "metrics.tokens_total: a whole number"),
        ({"metrics": {"speed": 1}}, "metrics.speed: one of succeeded, "),
        ({"task_rewards": {"t": [[1]]}}, "task_rewards.t[0]: a number"),
        ({"task_rewards": {"": [1]}}, "task_rewards.: 1 to 255 characters"),
        ({"samples": {}}, "samples: a list"),
        (
            {"samples": [{"task": "t"}, {"task": "t"}]},
            "samples[1]: another sample of its task; got sample 0",
        ),
        ({"samples": [{"task": "t", "odd": 1}]}, "samples[0].odd: one of task, sample"),
        ({"samples": [{"task": "t", "usage": {"x": 1}}]}, "samples[0].usage.x: one of"),
        ({"run": {"speed": 1}}, "run.speed: a known field"),
        (
            {"samples": [{"task": "t", "run": {"tokens": {"input": -1}}}]},
            "samples.0.run.tokens.input: a whole number",
        ),
        ({"samples": [], "task_rewards": {}}, "task_rewards: absent beside samples"),
        ({"submitted_at": "2026-01-01T00:00:00"}, "submitted_at: a time zone"),
        ({"submitted_at": 1e300}, "submitted_at: a time like"),
        ({"meta": {"model": 7}}, "meta.model: a text"),
        ({"note": "a\x00b"}, "note: hold the NUL character"),
    ]
    for wrong, message in cases:
        assert_refused(lines(attempt(), attempt(**wrong)), f"line 2, {message}", "a.jsonl")


def test_errors_name_a_broken_line() -> None:
    assert "a.jsonl, line 3: must be JSON; got a syntax error: expecting property name" in refusal(
        lines(attempt()) + b"\n{,", "a.jsonl"
    )


def test_a_name_twice_in_an_object_is_refused() -> None:
    twice = b'{"participant": "atlas", "values": {"x": 1, "x": 2}}\n'
    with pytest.raises(ImportFailed, match=r"line 1, values: .* 'x' once"):
        imported(twice)


def test_a_table_of_attempts_is_read() -> None:
    atlas, borealis = imported(FIXTURES / "attempts.csv").attempts
    assert atlas.metrics == {
        "succeeded": True,
        "tokens_total": 1500,
        "elapsed_ms": 12500,
        "rating": 8.0,
    }
    assert atlas.values == {"solved": 9.0}
    assert atlas.meta == {"model": "large-1"}
    assert atlas.submitted_at == datetime(2026, 11, 20, 8, tzinfo=UTC)
    assert borealis.metrics == {"succeeded": False}
    assert borealis.values == {"solved": 7.5}
    assert borealis.meta == {}


def test_a_table_of_samples_is_read() -> None:
    atlas, borealis = imported(FIXTURES / "samples.csv").attempts
    assert [(s["task"], s["sample"], s["rewards"], s["error"]) for s in atlas.samples] == [
        ("task-1", 0, {"reward": 1.0}, ""),
        ("task-1", 1, {"reward": 0.0, "physics_reward": 65.0}, ""),
        ("task-2", 0, None, "container died"),
    ]
    assert atlas.metrics == {"tokens_total": 1700}
    assert borealis.samples[0]["rewards"] == {"reward": None, "physics_reward": 12.0}


def test_samples_without_numbers_are_counted() -> None:
    imported_attempt = only_attempt(text("task,reward", "a,1", "b,0", "a,"), participant="atlas")
    assert [(s["task"], s["sample"], s["rewards"]) for s in imported_attempt.samples] == [
        ("a", 0, {"reward": 1.0}),
        ("b", 0, {"reward": 0.0}),
        ("a", 1, None),
    ]


def test_tables_of_other_programs_are_read() -> None:
    for delimiter in (",", ";", "\t"):
        for start in ("", "\ufeff", "\r\n"):
            rows = delimiter.join(["participant", "solved"]), delimiter.join(['"a, b; c"', "1"])
            imported_attempt = only_attempt((start + "\r\n".join(rows)).encode())
            assert imported_attempt.participant == "a, b; c", delimiter
            assert imported_attempt.values == {"solved": 1.0}, delimiter


def test_errors_name_a_wrong_cell() -> None:
    cases: list[tuple[list[str], str]] = [
        (["participant,solved", "atlas,many"], "line 2, solved: a number"),
        (["participant,solved", "atlas,nan"], "line 2, solved: a number"),
        (["participant,solved", "atlas,1e999"], "line 2, solved: a finite number"),
        (["participant,solved", "atlas,1_000"], "line 2, solved: a number"),
        (["participant,solved", "atlas"], "line 2: 2 cells"),
        (["participant,solved", ",1"], "line 2, participant: a text"),
        (["participant,solved,solved", "a,1,1"], "line 1: column 'solved' once"),
        (["participant,succeeded", "a,maybe"], "line 2, succeeded: true or false"),
        (["participant,tokens_total", "a,1.5"], "line 2, tokens_total: a whole number"),
        (["participant,submitted_at", "a,2026-01-01"], "line 2, submitted_at: a time zone"),
        (["participant,solved", 'a,"1'], "line 2: CSV"),
        (["participant,", "a,1"], "line 1, header: 1 to 255 characters"),
        (["task,participant,reward", "t,a,x"], "line 2, reward: a number"),
        (
            ["task,sample,participant", "t,0,a", "t,0,a"],
            "line 3, task: each sample once; got sample 0",
        ),
        (["task,reward", "t,1"], "a.csv: participant: a column participant"),
    ]
    for rows, message in cases:
        assert_refused(text(*rows), message, "a.csv", format="podium-csv")


def test_a_header_without_rows_is_refused() -> None:
    assert "row below its header" in refusal(text("participant,solved"))


def test_another_encoding_is_refused_if_the_format_is_named() -> None:
    assert "UTF-8; got byte 19" in refusal(
        "participant,solved\né,1".encode("latin-1"), format="podium-csv"
    )


def test_errors_of_a_table_of_no_other_format_are_those_of_the_own_format() -> None:
    for rows in (
        ["participant,solved", "atlas,many"],
        ["participant,solved", "atlas,1e999"],
        ["participant,succeeded", "a,maybe"],
        ["participant,tokens_total", "a,1.5"],
        ["participant,solved", 'a,"1'],
        ["task,participant,reward", "t,a,x"],
        ["task,sample,participant,reward", "t,0,a,1", "t,0,a,1"],
        ["task,reward", "t,1"],
    ):
        with pytest.raises(ImportFailed) as ours:
            imported(text(*rows), "a.csv", format="podium-csv")
        with pytest.raises(ImportFailed) as guessed:
            imported(text(*rows), "a.csv")
        assert str(guessed.value) == str(ours.value), rows


def test_ids_of_earlier_imports_stay_the_same() -> None:
    imported_attempt = imported(FIXTURES / "samples.csv").attempts[0]
    assert imported_attempt.source_id == "podium-csv:79a08488a931cef8aeee9ac765ca90cfc147b6d4"
    imported_attempt = imported(FIXTURES / "attempts.csv").attempts[0]
    assert imported_attempt.source_id == "podium-csv:f6775cc6e4f97c6471584c8efec8d0e4eb085e22:1"
