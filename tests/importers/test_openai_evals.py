"""OpenAI evals: events of a log as rewards.

The fixture is real: two logs of `oaieval` 3.0.1, of its Match and FuzzyMatch over three invented
questions; only the command line and a path in the `spec` are replaced.
"""

from typing import Any

from tests.importers.uploads import assert_refused, folder, imported, lines, only_attempt, refusal

SPEC = {"spec": {"completion_fns": ["m"], "eval_name": "e.dev.v0", "run_id": "r"}}


def event(kind: str, sample: Any = "e.dev.0", **data: Any) -> dict[str, Any]:
    return {"run_id": "r", "sample_id": sample, "type": kind, "data": data}


def report(**numbers: Any) -> dict[str, Any]:
    return {"final_report": numbers, "run_id": "r"}


def test_two_real_logs_are_read() -> None:
    contents = imported(folder("openai-evals"))
    match, fuzzy = contents.attempts
    assert {match.participant, fuzzy.participant} == {"tiny/model"}
    assert match.meta["dataset"] == "caps.dev.v0"
    assert match.samples[0] == {
        "task": "caps.dev.2",
        "sample": 0,
        "rewards": {"accuracy": 1.0},
        "usage": {"tokens_total": 10, "input_tokens": 7, "output_tokens": 3},
        "error": "",
    }
    assert match.file_metrics["mean:accuracy"] == 2 / 3
    assert fuzzy.file_metrics["mean:f1_score"] == 0.5555555555555555
    assert set(fuzzy.specs) == {"mean:accuracy", "mean:f1_score"}
    assert match.submitted_at is not None
    assert contents.suggested["rank_by"] == [{"key": "mean:accuracy", "direction": "desc"}]


def test_the_evals_own_accuracy_replaces_match() -> None:
    log = lines(SPEC, report(), event("match", correct=True), event("metrics", accuracy=0.25))
    (sample,) = only_attempt(log).samples
    assert sample["rewards"] == {"correct": 1.0, "accuracy": 0.25}


def test_choices_of_which_nothing_says_which_is_good_do_not_rank() -> None:
    choices = [event("metrics", f"e.dev.{at}", choice=letter) for at, letter in enumerate("ABB")]
    contents = imported(lines(SPEC, report(**{"counts/A": 1, "counts/B": 2}), *choices))
    assert contents.attempts[0].values == {"counts_A": 1, "counts_B": 2}
    assert any("which of them is good" in warning for warning in contents.warnings)
    assert "rank_by" not in contents.suggested
    scored = imported(lines(SPEC, report(**{"counts/A": 1, "score": 0.5}), *choices[:1]))
    assert scored.suggested["rank_by"] == [{"key": "score", "direction": "desc"}]


def test_a_sample_that_is_scored_twice_has_two_samples() -> None:
    log = lines(
        SPEC, report(accuracy=0.5), event("match", correct=True), event("match", correct=False)
    )
    attempt = only_attempt(log)
    assert [(sample["sample"], sample["rewards"]) for sample in attempt.samples] == [
        (0, {"accuracy": 1.0}),
        (1, {"accuracy": 0.0}),
    ]


def test_a_sample_without_a_score_has_failed() -> None:
    log = lines(
        SPEC,
        report(accuracy=1.0),
        event("match", correct=True),
        event("sampling", "e.dev.1", sampled="PRIVATE"),
        event("error", "e.dev.2", type="Timeout", message="too slow\nPRIVATE"),
    )
    attempt = only_attempt(log)
    assert [(sample["rewards"], sample["error"]) for sample in attempt.samples] == [
        ({"accuracy": 1.0}, ""),
        ({"accuracy": None}, "not scored"),
        ({"accuracy": None}, "Timeout: too slow"),
    ]
    assert attempt.specs["mean:accuracy"]["failed"] == "exclude"


def test_only_numbers_are_rewards() -> None:
    metrics = event("metrics", score=None, choice="C", f1=float("nan"), ok=True, rest={})
    (sample,) = only_attempt(lines(SPEC, report(), metrics)).samples
    assert sample["rewards"] == {"ok": 1.0}


def test_a_log_without_scores_gives_reported_values() -> None:
    log = lines(SPEC, event("sampling"), report(**{"win rate": 0.5, "note": "x", "bad": None}))
    contents = imported(log, "log.jsonl")
    (attempt,) = contents.attempts
    assert attempt.samples == []
    assert attempt.values == {"win_rate": 0.5}
    assert "log.jsonl: no sample was scored" in contents.warnings[0]
    assert contents.suggested["rank_by"] == [{"key": "win_rate", "direction": "desc"}]


def test_a_log_without_a_report_gives_a_warning() -> None:
    contents = imported(lines(SPEC, event("match", correct=True)), "log.jsonl")
    assert "log.jsonl: has no final_report" in contents.warnings[0]


def test_errors_name_a_wrong_row() -> None:
    cases: list[tuple[Any, str]] = [
        (event("match"), "line 2, data.correct: true or false"),
        (event("match", correct="yes"), "line 2, data.correct: a number"),
        (event("metrics", score=float("inf")), "line 2, data.score: a finite number"),
        (event("match", 7, correct=True), "line 2, sample_id: a text"),
        ({**event("match"), "data": []}, "line 2, data: an object"),
        ([], "line 2: an object"),
    ]
    for wrong, message in cases:
        assert_refused(lines(SPEC, wrong), message, "log.jsonl")


def test_a_run_without_completion_fns_needs_a_participant() -> None:
    spec = {"spec": {**SPEC["spec"], "completion_fns": []}}
    log = lines(spec, event("match", correct=True))
    assert "participant: must be given" in refusal(log)
    assert only_attempt(log, participant="atlas").participant == "atlas"
