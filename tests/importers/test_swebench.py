"""SWE-bench: reports of runs, of instances and of sb-cli.

The fixture is real: the reports were made by `get_eval_report` and `make_run_report` of swebench
5.0.2 for invented predictions and test outputs. Reports of sb-cli follow its source code.
"""

import json
from typing import Any

from tests.importers.uploads import assert_refused, below, folder, imported, only_attempt, refusal

REPORT = "acme__coder-7b.night-1.json"
LOGS = {name: text for name, text in folder("swe-bench").items() if name.startswith("logs/")}


def report(**fields: Any) -> bytes:
    whole = {
        "total_instances": 3,
        "submitted_instances": 3,
        "resolved_instances": 1,
        "submitted_ids": ["a", "b", "c"],
        "resolved_ids": ["a"],
        "unresolved_ids": ["b", "c"],
        **fields,
    }
    return json.dumps(whole).encode()


def outcomes(upload: Any, name: str = "m.run.json", **options: str) -> dict[str, Any]:
    attempt = only_attempt(upload, name, **options)
    return {sample["task"]: sample["rewards"] for sample in attempt.samples}


def test_a_real_run_is_read() -> None:
    contents = imported(folder("swe-bench"))
    (attempt,) = contents.attempts
    assert attempt.participant == "acme/coder-7b"
    assert attempt.meta == {"model": "acme/coder-7b", "job": "night-1", "harness": "SWE-bench"}
    assert {sample["task"]: (sample["rewards"], sample["error"]) for sample in attempt.samples} == {
        "astropy__astropy-12907": ({"resolved": 0.0, "applied": 0.0}, ""),
        "django__django-11099": ({"resolved": 1.0, "applied": 1.0}, ""),
        "django__django-11583": ({"resolved": 0.0, "applied": 1.0}, ""),
        "sympy__sympy-13146": ({"resolved": 0.0}, "empty patch"),
        "sympy__sympy-20590": ({"resolved": None}, "the evaluation broke: container_unavailable"),
    }
    assert attempt.file_metrics == {"sum:resolved": 1.0, "resolved/total": 1 / 6}
    (warning,) = contents.warnings
    assert warning.startswith(f"{REPORT}: 1 of 6 instances")


def test_instances_that_were_not_run_are_suggested_as_tasks() -> None:
    tasks = imported(folder("swe-bench")).suggested["tasks"]
    assert len(tasks) == 6
    assert tasks[-1] == {"name": "pallets__flask-4045", "rewards": ["resolved"]}


def test_a_run_that_counts_more_than_it_lists_ranks_by_what_it_counts() -> None:
    counted = report(total_instances=10, submitted_instances=9, error_instances=2)
    contents = imported(counted, "m.run.json")
    (attempt,) = contents.attempts
    (warning,) = contents.warnings
    assert "7 of 10 instances are not listed" in warning
    assert contents.suggested["rank_by"] == [{"key": "sum:resolved", "direction": "desc"}]
    assert attempt.values == {"resolved_rate": 0.1}
    assert attempt.file_metrics["resolved/total"] == 0.1
    complete = imported(report(), "m.run.json")
    assert complete.suggested["rank_by"] == [{"key": "mean:resolved", "direction": "desc"}]
    assert (complete.warnings, complete.attempts[0].values) == ([], {})


def test_a_submitted_instance_without_an_outcome_was_not_run() -> None:
    contents = imported(report(unresolved_ids=["b"]), "m.run.json")
    assert "1 of 3 instances were not run" in contents.warnings[0]
    assert {task["name"] for task in contents.suggested["tasks"]} == {"a", "b", "c"}


def test_a_report_of_a_run_is_read_without_instances() -> None:
    rewards_by_instance = outcomes(folder("swe-bench")[REPORT], REPORT)
    assert rewards_by_instance["django__django-11099"] == {"resolved": 1.0}


def test_reports_of_instances_are_read_without_the_run() -> None:
    attempt = only_attempt(below("x", LOGS))
    assert attempt.participant == "acme/coder-7b"
    assert attempt.file_metrics == {}
    assert [sample["rewards"] for sample in attempt.samples] == [
        {"resolved": 0.0, "applied": 0.0},
        {"resolved": 1.0, "applied": 1.0},
        {"resolved": 0.0, "applied": 1.0},
        {"resolved": None},
    ]
    assert attempt.samples[3]["error"] == "the evaluation left no report"


def test_the_report_of_an_instance_without_its_folders_names_no_model() -> None:
    alone = next(text for name, text in LOGS.items() if name.endswith("report.json"))
    options = {"participant": "atlas"}
    attempt = only_attempt(alone, "report.json", **options)
    assert (attempt.participant, len(attempt.samples)) == ("atlas", 1)
    assert "participant: must be given" in refusal(alone, "report.json")
    attempt = only_attempt({"i/report.json": alone, "run_instance.log": b""}, **options)
    assert len(attempt.samples) == 1


def test_each_model_is_an_attempt() -> None:
    upload = {f"{name}.run.json": report() for name in ("a", "b-1.5")}
    assert [attempt.participant for attempt in imported(upload).attempts] == ["a", "b-1.5"]


def test_the_rate_of_a_complete_run_is_compared() -> None:
    attempt = only_attempt(report(), "m.run.json")
    assert attempt.file_metrics == {"sum:resolved": 1.0, "mean:resolved": 1 / 3}
    assert set(attempt.specs) == {"sum:resolved", "mean:resolved"}


def test_a_report_of_sb_cli_has_no_model() -> None:
    upload = report(
        total_instances=5,
        unresolved_ids=["b"],
        failed_ids=["c"],
        pending_ids=["d"],
        pending_instances=1,
        failed_instances=1,
    )
    name = "swe-bench_verified__test__night-1.json"
    assert "participant: must be given" in refusal(upload, name)
    assert outcomes(upload, name, participant="atlas") == {
        "a": {"resolved": 1.0},
        "b": {"resolved": 0.0},
        "c": {"resolved": None},
    }
    assert only_attempt(upload, name, participant="atlas").meta["job"] == "night-1"


def test_predictions_for_other_instances_do_not_count() -> None:
    assert set(outcomes(report(submitted_ids=["a", "b", "c", "z"]))) == {"a", "b", "c"}


def test_errors_name_a_wrong_report() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        (
            {"unresolved_ids": ["a"]},
            "unresolved_ids[0]: one outcome for a; got another than before",
        ),
        ({"error_ids": [7]}, "error_ids[0]: a text"),
        ({"error_ids": "a"}, "error_ids: a list"),
        ({"resolved_instances": -1}, "resolved_instances: a whole number"),
        ({"failure_reasons": [], "error_ids": ["z"]}, "failure_reasons: an object"),
    ]
    for fields, message in cases:
        assert_refused(report(**fields), message, "m.run.json")


def test_errors_name_a_wrong_report_of_an_instance() -> None:
    broken = {"a": {"patch_successfully_applied": True, "resolved": "yes"}}
    upload = {**LOGS, "logs/run_evaluation/r/m/a/report.json": json.dumps(broken).encode()}
    assert "r/m/a/report.json, a.resolved: must be a number" in refusal(upload)


def test_a_report_without_outcomes_is_refused() -> None:
    assert "results of SWE-bench" in refusal(
        report(resolved_ids=[], unresolved_ids=[]), "m.run.json"
    )
