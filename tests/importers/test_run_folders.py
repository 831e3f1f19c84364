"""MLflow and W&B: runs as folders, tables and histories.

`mlflow` is the file store that mlflow-skinny 3.17.2 wrote and `mlflow-search.csv` what its
`experiments csv` gave for it, both with users and paths changed. `mlflow-ui.csv` is written after
the source of its page of runs (CsvUtils.ts: columns, quoting, the quote before a sign). W&B's
files are written by hand: wandb 0.31 leaves a summary only when it reaches its server, so their
keys are those that its client writes (`_step`, `_runtime`, `_timestamp`, `_wandb`, config.yaml),
and the table has the columns of its page of runs.
"""

from datetime import UTC, datetime
from typing import Any

from tests.importers.uploads import (
    FIXTURES,
    assert_refused,
    folder,
    imported,
    lines,
    only_attempt,
    tarred,
    zipped,
)

META = b"run_id: '1'\nrun_name: first\nstatus: 3\nstart_time: 1000\nend_time: 3500\n"
SEARCH = "run_id,experiment_id,status,start_time,metrics.acc\n"
WANDB = "Name,State,Notes,User,Tags,Created,Runtime,Sweep,"


def run(meta: bytes = META, **metrics: bytes) -> dict[str, bytes]:
    files = metrics or {"acc": b"1 0.5 0\n"}
    return {"meta.yaml": meta, **{f"metrics/{name}": text for name, text in files.items()}}


def test_a_real_store_of_mlflow_is_read() -> None:
    contents = imported(FIXTURES / "mlflow")
    first, second = contents.attempts
    assert (first.participant, second.participant) == ("org/large-1", "small-2")
    assert first.values == {"accuracy": 0.7, "eval_f1_score": 0.25}
    assert first.metrics == {"succeeded": True, "elapsed_ms": 25}
    assert first.meta == {"model": "org/large-1", "job": "run 0", "harness": "MLflow"}
    assert contents.suggested["rank_by"] == [{"key": "accuracy", "direction": "desc"}]
    assert contents.suggested["columns"][1] == {"key": "eval_f1_score", "label": "eval/f1 score"}
    assert len(contents.warnings) == 1
    assert "no number" in contents.warnings[0]


def test_the_folder_and_the_table_of_mlflow_give_the_same_runs() -> None:
    by_id = [
        {
            attempt.source_id: (attempt.values, attempt.metrics, attempt.participant)
            for attempt in contents.attempts
        }
        for contents in (imported(FIXTURES / "mlflow"), imported(FIXTURES / "mlflow-search.csv"))
    ]
    assert by_id[0] == by_id[1]


def test_the_exported_page_of_mlflow_is_read() -> None:
    contents = imported(FIXTURES / "mlflow-ui.csv", "runs.csv")
    (attempt,) = contents.attempts
    assert attempt.values["log_likelihood"] == -1.25
    assert contents.suggested["rank_by"][0]["key"] == "accuracy"
    columns, unfinished = contents.warnings
    assert columns.startswith("runs.csv: ")
    assert "the run run 0" in unfinished


def test_the_value_of_the_highest_step_counts() -> None:
    assert only_attempt(run(acc=b"5 0.1 2\n9 0.9 1\n6 0.2 2\n")).values == {"acc": 0.2}
    assert only_attempt(run(acc=b"5 0.1\n9 0.9\n")).values == {"acc": 0.9}
    assert only_attempt(run(acc=b"5 0.1 0 data digest\n")).values == {"acc": 0.1}


def test_names_of_metrics_may_hold_slashes() -> None:
    files = {"meta.yaml": META, "metrics/eval/metrics/f1": b"1 0.5 0\n"}
    files |= {"artifacts/metrics/x": b"secret", "artifacts/x": b""}
    assert only_attempt(files).values == {"eval_metrics_f1": 0.5}


def test_runs_without_a_value_are_skipped() -> None:
    files = {
        f"{name}/{path}": text
        for name, meta in {
            "kept": META,
            "running": META.replace(b"status: 3", b"status: 1"),
            "deleted": META + b"lifecycle_stage: deleted\n",
        }.items()
        for path, text in run(meta).items()
    }
    contents = imported(files)
    assert len(contents.attempts) == 1
    deleted, unfinished = contents.warnings
    assert deleted.endswith("deleted")
    assert unfinished.endswith("not finished")


def test_a_failed_run_has_not_succeeded() -> None:
    assert only_attempt(run(META.replace(b"status: 3", b"status: 4"))).metrics["succeeded"] is False


def test_a_run_may_be_in_a_tar() -> None:
    files = {**run(), "params/model": b"large-1\n"}
    assert only_attempt(tarred(files)) == only_attempt(zipped(files))
    assert only_attempt(tarred(files)).participant == "large-1"


def test_errors_name_wrong_runs_of_mlflow() -> None:
    cases: list[tuple[Any, str]] = [
        (run(acc=b"1 0.5 0\n2\n"), "metrics/acc, line 2: `timestamp value step`"),
        (run(acc=b"1 good 0\n"), "metrics/acc, line 1: a number"),
        (run(acc=b"1 0.5 first\n"), "metrics/acc, line 1: whole numbers"),
        (run(META.replace(b"1000", b"soon")), "meta.yaml, start_time: milliseconds"),
        (run(acc=b"1 nan 0\n"), "file: a finished run with a metric"),
        (run(b"\xff" + META), "meta.yaml: UTF-8"),
        ({"a.txt": b"", "b.txt": b""}, "file: runs of MLflow"),
        (f"{SEARCH}1,2,FINISHED,,high\n".encode(), "line 2, metrics.acc: a number"),
        (f"{SEARCH}1,2\n".encode(), "line 2: 5 cells"),
        (f"{SEARCH}1,2,FINISHED,soon,1\n".encode(), "line 2, start_time: a time"),
        (f"{SEARCH[:-1]},metrics.acc\n".encode(), "'metrics.acc' once"),
    ]
    for upload, message in cases:
        assert_refused(upload, message, format="mlflow")


def test_yaml_tags_create_no_objects() -> None:
    meta = META + b"x: !!python/object/apply:os.system ['true']\na: &a [*a, *a]\n"
    assert only_attempt(run(meta)).participant == "first"


def test_the_table_of_wandb_is_read() -> None:
    contents = imported(FIXTURES / "wandb.csv")
    first, second = contents.attempts
    assert first.participant == "large-1"
    assert first.values == {"lr": 0.1, "eval_accuracy": 0.75, "eval_loss": 0.5}
    assert first.metrics == {"succeeded": True, "elapsed_ms": 62_000}
    assert second.metrics == {"succeeded": False, "elapsed_ms": 12_500}
    assert "eval_loss" not in second.values
    assert contents.suggested["rank_by"][0]["key"] == "eval_accuracy"
    assert ["run old-hill-3" in warning for warning in contents.warnings[1:]] == [True]


def test_a_summary_of_wandb_is_read_with_its_config() -> None:
    attempt = only_attempt(FIXTURES / "wandb")
    assert attempt.participant == "large-1"
    assert attempt.values == {"accuracy": 0.75, "loss": 0.3333333333333333, "best.f1": 0.5}
    assert attempt.metrics == {"elapsed_ms": 62_250}
    assert attempt.submitted_at is not None


def test_the_last_number_of_a_history_counts() -> None:
    attempt = only_attempt(FIXTURES / "wandb-history.jsonl", participant="atlas")
    assert attempt.values == {"accuracy": 0.75, "loss": 0.5}


def test_the_moment_of_a_run_is_within_the_years_that_can_be_meant() -> None:
    cases = [(0.5, datetime(1970, 1, 1, 0, 0, 0, 500_000, UTC)), (0, None), (10**10, None)]
    for seconds, moment in cases:
        steps = [{"_step": at, "_runtime": 1, "_timestamp": seconds, "acc": at} for at in range(2)]
        assert only_attempt(lines(*steps), participant="atlas").submitted_at == moment, seconds


def test_a_summary_without_a_config_needs_a_participant() -> None:
    (name,) = (name for name in folder("wandb") if name.endswith("summary.json"))
    assert_refused(folder("wandb")[name], "participant: given", format="wandb")


def test_errors_name_wrong_runs_of_wandb() -> None:
    cases: list[tuple[bytes, str]] = [
        (f"{WANDB}acc\nx,finished,,,,soon,1,,1\n".encode(), "line 2, Created: a time"),
        (f"{WANDB}acc\nx,finished,,,,,1,,\n".encode(), "a finished run with a number"),
        (lines({"_step": 0, "_runtime": 1}) * 2 + b"[]\n", "line 3: an object"),
        (b'{"_step": 0, "_runtime": 1, "a": {"a": 1, "a": 2}}', "a: 'a' once"),
        (b'{"_step"', "(column 9)"),
    ]
    for upload, message in cases:
        assert_refused(upload, message, format="wandb")
