"""inspect-ai logs: grades, unscored samples, epochs and stated values."""

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from leaderboard.importers import ImportFailed, Source, read
from leaderboard.importers.reading.evidence import contents_of, name_of
from leaderboard.services.imports.reported_metrics import compared
from tests.importers.arithmetic import value_of
from tests.importers.uploads import (
    FIXTURES,
    eval_log,
    folder,
    imported,
    only_attempt,
    refusal,
    rewards_of,
    tarred,
    zipped,
    zstandard,
)

LOG: dict[str, Any] = json.loads((FIXTURES / "inspect-ai.json").read_text())
BOTH = ("accuracy", "stderr")
NOT_SCORED = "not scored: no sample has a score, so that nothing of it can be ranked"


def log(*values: Any, **fields: Any) -> dict[str, Any]:
    """Return a log with a sample for each value of its only scorer."""
    samples = [
        {"id": at, "epoch": 1, "scores": {"match": {"value": value}}}
        for at, value in enumerate(values)
    ]
    return {**copy.deepcopy(LOG), "samples": samples, **fields}


def written(log: dict[str, Any]) -> bytes:
    return json.dumps(log).encode()


def rewards(log: dict[str, Any]) -> list[Any]:
    attempt = only_attempt(written(log))
    return [sample["rewards"] for sample in attempt.samples]


def test_a_real_log_is_read() -> None:
    contents = imported(FIXTURES / "inspect-ai.json")
    (attempt,) = contents.attempts
    assert contents.warnings == []
    assert attempt.participant == "mockllm/model"
    assert [rewards_of(sample)["match"] for sample in attempt.samples] == [1.0, 1.0, 0.0, 1.0, 0.0]
    assert attempt.samples[0]["usage"] == {
        "tokens_total": 8,
        "input_tokens": 3,
        "output_tokens": 5,
        "elapsed_ms": 345,
    }
    assert attempt.metrics["tokens_total"] == 49
    assert attempt.file_metrics == {"mean_reward:match": 0.6, "match/stderr": 0.24494897427831783}
    assert set(attempt.specs) == {"mean_reward:match"}
    assert set(attempt.error_specs) == {"match/stderr"}
    assert "num_samples" not in contents.suggested, "other logs may have other epochs"


def test_a_real_log_of_several_epochs_states_the_computed_values() -> None:
    attempt = only_attempt(FIXTURES / "inspect-ai-epochs.json")
    assert len(attempt.samples) == 12
    values = {value.name: value for value in compared(attempt)}
    assert values["mean_reward:match"].stated == 0.41666666666666663
    assert values["pass@2:unbiased:match"].stated == 0.5833333333333333
    assert {name for name, value in values.items() if value.differs is False} == {
        "mean_reward:match",
        "match/mean/stderr",
        "pass@1:unbiased:match",
        "match/pass_at_1/stderr",
        "pass@2:unbiased:match",
        "match/pass_at_2/stderr",
    }
    uncompared = {name for name, value in values.items() if value.differs is None}
    assert uncompared == {f"match/{of}/{kind}" for of in ("at_least_2", "mode") for kind in BOTH}


def test_a_wrong_stated_value_of_a_reducer_is_reported() -> None:
    given = json.loads((FIXTURES / "inspect-ai-epochs.json").read_text())
    given["results"]["scores"][2]["metrics"]["accuracy"]["value"] = 0.9
    given["results"]["scores"][0]["metrics"]["stderr"]["value"] = 0.9
    attempt = only_attempt(written(given))
    wrong = [value.name for value in compared(attempt) if value.differs]
    assert wrong == ["match/mean/stderr", "pass@2:unbiased:match"]


def test_a_clustered_standard_error_is_not_compared() -> None:
    given = log("C", "I")
    stderr = {"value": 0.5, "params": {"cluster": "topic"}}
    given["results"]["scores"][0]["metrics"] = {"stderr": stderr}
    assert only_attempt(written(given)).error_specs == {}


def test_a_log_without_scores_is_not_scored() -> None:
    contents = imported(FIXTURES / "inspect-ai-unscored.json")
    (attempt,) = contents.attempts
    assert contents.warnings == [NOT_SCORED]
    assert (attempt.samples, attempt.metrics, attempt.file_metrics) == ([], {}, {})
    assert attempt.participant == "mockllm/model"
    assert contents.suggested == {}


def test_a_log_whose_samples_all_failed_is_scored() -> None:
    given = log(status="error", results=None)
    error = {"message": "RuntimeError('no')"}
    given["samples"] = [{"id": "x", "epoch": 1, "scores": None, "error": error}]
    attempt = only_attempt(written(given))
    assert [sample["rewards"] for sample in attempt.samples] == [None]


def test_grades_have_the_values_that_inspect_gives_them() -> None:
    given = ["C", "P", "I", "N", "yes", "False", " 0.25 ", True, 3, -1.5]
    assert [reward["match"] for reward in rewards(log(*given))] == [
        1.0,
        0.5,
        0.0,
        0.0,
        1.0,
        0.0,
        0.25,
        1.0,
        3.0,
        -1.5,
    ]


def test_an_unscored_sample_has_failed() -> None:
    for value in (None, float("nan")):
        attempt = only_attempt(written(log(value, "C")))
        assert attempt.samples[0]["rewards"] is None, value
        assert attempt.samples[0]["error"] == "not scored", value


def test_an_unknown_grade_is_reported() -> None:
    for value in ("maybe", [1, 2], "nan"):
        contents = imported(written(log(value, "C")))
        assert contents.attempts[0].samples[0]["rewards"] is None, value
        assert [warning.partition(" is ")[0] for warning in contents.warnings] == [
            "a score of match"
        ]


def test_an_object_is_a_reward_for_each_key() -> None:
    assert rewards(log({"a": 1, "b": "C"}, {"a": 0})) == [
        {"match.a": 1.0, "match.b": 1.0},
        {"match.a": 0.0},
    ]


def test_a_failed_sample_has_a_reason_of_one_line() -> None:
    given = log("C")
    error = {"message": "RuntimeError('no')\n  /home/x", "traceback": "PRIVATE"}
    given["samples"].append({"id": "x", "epoch": 1, "scores": None, "error": error})
    attempt = only_attempt(written(given))
    assert attempt.samples[1]["rewards"] is None
    assert attempt.samples[1]["error"] == "RuntimeError('no')"


def test_epochs_are_samples_in_order() -> None:
    given = log()
    given["samples"] = [
        {"id": "a", "epoch": epoch, "scores": {"match": {"value": epoch}}} for epoch in (2, 1, 3)
    ]
    attempt = only_attempt(written(given))
    assert [(sample["sample"], rewards_of(sample)["match"]) for sample in attempt.samples] == [
        (0, 1.0),
        (1, 2.0),
        (2, 3.0),
    ]


def test_a_reduced_mean_is_a_mean_over_tasks() -> None:
    given = log()
    given["samples"] = [
        {"id": task, "epoch": 1, "scores": {"match": {"value": value}}}
        for task, value in (("a", 1), ("a", 0), ("b", 1))
    ]
    given["results"]["scores"][0] |= {"reducer": "mean", "metrics": {"mean": {"value": 0.75}}}
    attempt = only_attempt(written(given))
    assert value_of(attempt, attempt.specs["mean_reward:match"]) == 0.75


def test_stated_values_keep_their_meaning() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"reducer": "pass_at_2"}, "pass@2:unbiased:match"),
        ({"reducer": "pass_k_3"}, "pass^3:unbiased:match"),
        ({"reducer": "at_least_2"}, "match/at_least_2/accuracy"),
        ({"reducer": "pass_at_0"}, "match/pass_at_0/accuracy"),
        ({"metrics": {"my_pkg/accuracy": {"value": 0.6}}}, "mean_reward:match"),
        ({"metrics": {"f1": {"value": 0.6}}}, "match/f1"),
        ({"name": "a"}, "mean_reward:match.a"),
    ]
    for score, key in cases:
        given = log("C")
        given["results"]["scores"][0] |= {"metrics": {"accuracy": {"value": 0.6}}, **score}
        attempt = only_attempt(written(given))
        assert attempt.file_metrics == {key: 0.6}, key
        assert bool(attempt.specs) == key.startswith(("mean_reward", "pass@", "pass^")), key


def test_stated_values_that_are_no_numbers_are_skipped() -> None:
    for value in (None, float("nan"), {"a": 1}, "N/A", 10**400):
        given = log("C")
        given["results"]["scores"][0]["metrics"] = {"accuracy": {"value": value}}
        assert only_attempt(written(given)).file_metrics == {}, value


def test_a_log_of_a_failed_run_gives_a_warning() -> None:
    contents = imported(written(log("C", status="error", results=None)))
    assert [warning.split()[-1] for warning in contents.warnings] == ["error"]
    assert contents.attempts[0].file_metrics == {}


def test_the_solver_is_the_agent() -> None:
    given = log("C")
    given["eval"]["solver"] = "react"
    assert only_attempt(written(given)).participant == "react (mockllm/model)"


def test_summaries_are_read_without_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    pieces = Source.pieces

    def noted(self: Source, name: str) -> Iterator[bytes]:
        read.append(name)
        return pieces(self, name)

    monkeypatch.setattr(Source, "pieces", noted)
    imported(zstandard(eval_log(LOG)))
    assert {name.partition("/")[0] for name in read} == {"header.json", "summaries.json"}


def test_without_summaries_the_samples_are_read() -> None:
    members = eval_log(LOG)
    del members["summaries.json"]
    attempt = only_attempt(zstandard(members))
    same = only_attempt(FIXTURES / "inspect-ai.json")
    assert replace(attempt, evidence=[]) == replace(same, evidence=[])


def test_the_messages_of_samples_are_evidence_in_logs_of_every_kind() -> None:
    given = log("C", "I")
    for sample in given["samples"]:
        sample["messages"] = [{"role": "user", "content": f"half {sample['id']} \ud800"}]
    members = eval_log(given)
    summaries = [{**sample, "messages": None} for sample in given["samples"]]
    summarised = {**members, "summaries.json": json.dumps(summaries).encode()}
    whole = {name: text for name, text in members.items() if name != "summaries.json"}
    packed = zstandard(summarised)
    for upload in (
        written(given),
        zstandard(whole),
        packed,
        zipped({"a.eval": packed, "b.eval": zstandard(eval_log(log("C")))}),
        zipped({f"run/{name}": text for name, text in summarised.items()}),
    ):
        with Source.open(upload) as source:
            attempt, *_rest = read(source).attempts
            parts = list(contents_of(source, attempt.evidence, 100))
            assert [name_of(part) for part, _ in parts] == ["messages.json"] * 2
            places = [(part["task"], part["sample"], part["kind"]) for part, _ in parts]
            assert places == [("0", 0, "trajectory"), ("1", 0, "trajectory")]
            assert [json.loads(text) for _, text in parts] == [
                sample["messages"] for sample in given["samples"]
            ]
            assert [row["run"]["evidence"] for row in attempt.samples] == [["trajectory"]] * 2
            assert [text for _, text in contents_of(source, attempt.evidence, 9)] == [b"", b""]


def test_an_unfinished_log_gives_a_warning() -> None:
    members = eval_log(LOG)
    del members["header.json"]
    contents = imported(zstandard(members))
    assert len(contents.attempts[0].samples) == 5
    assert contents.warnings[-1].endswith("no header.json")


def test_a_log_without_samples_and_results_is_refused() -> None:
    assert "must contain samples" in refusal(written(log(results=None)))


def test_a_log_without_samples_has_reported_values() -> None:
    contents = imported(written(log()))
    (attempt,) = contents.attempts
    assert (attempt.samples, attempt.values) == ([], {"match.accuracy": 0.6})
    assert attempt.metrics["tokens_total"] == 49
    assert contents.warnings == ["holds no samples; its values become reported values"]
    assert contents.suggested["rank_by"] == [{"key": "match.accuracy", "direction": "desc"}]


def test_cached_tokens_are_counted_once() -> None:
    """OpenAI counts them among the input tokens, Anthropic beside them."""
    cases = [
        ("openai/m", {"input_tokens": 100, "total_tokens": 110}, 100),
        ("openai/m", {"input_tokens": 100, "total_tokens": 115, "reasoning_tokens": 5}, 100),
        ("anthropic/m", {"input_tokens": 100, "total_tokens": 170}, 160),
        ("anthropic/m", {"input_tokens": 100}, 160),
        ("anthropic/m", {"input_tokens": 5, "total_tokens": 15}, 65),
        ("other/m", {"input_tokens": 100}, 100),
        ("other/m", {"input_tokens": 10}, 70),
    ]
    for model, usage, tokens in cases:
        cached = {"input_tokens_cache_read": 40, "input_tokens_cache_write": 20}
        content = log("C")
        content["samples"][0]["model_usage"] = {model: {"output_tokens": 10, **cached, **usage}}
        attempt = only_attempt(written(content))
        assert attempt.samples[0]["usage"]["input_tokens"] == tokens, (model, usage)


def test_an_archive_of_logs_is_many_attempts() -> None:
    files = folder("inspect-ai-logs")
    for upload in (files, tarred(files), FIXTURES / "inspect-ai-logs"):
        contents = imported(upload)
        sets = sorted(attempt.meta["dataset"] for attempt in contents.attempts)
        assert sets == ["first", "second"]
        assert all(len(attempt.samples) == 4 for attempt in contents.attempts)
    assert len({attempt.source_id for attempt in contents.attempts}) == 2


def test_a_folder_may_have_logs_of_every_kind() -> None:
    unpacked = {f"run/{name}": text for name, text in eval_log(log("C")).items()}
    files = {
        **unpacked,
        "a.json": written(log("I", "C")),
        "b.eval": zstandard(eval_log(log("I"))),
        "unscored.json": (FIXTURES / "inspect-ai-unscored.json").read_bytes(),
        "logs.json": b'{"a.json": {}}',
        "README.md": b"# Runs",
    }
    contents = imported(files)
    assert sorted(len(attempt.samples) for attempt in contents.attempts) == [0, 1, 1, 2]
    assert contents.warnings == [f"unscored.json: {NOT_SCORED}"]


def test_one_log_in_an_archive_is_one_attempt() -> None:
    assert len(imported({"run.eval": zstandard(eval_log(LOG))}).attempts) == 1


def test_a_log_without_samples_is_skipped_among_several() -> None:
    contents = imported({"a.json": written(log(results=None)), "b.json": written(log("C"))})
    assert len(contents.attempts) == 1
    assert [warning.partition(",")[0] for warning in contents.warnings] == [
        "a.json: holds no samples"
    ]


def test_the_limits_count_archives_within_archives_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    logs = {f"{at}.eval": zstandard(eval_log(log(*"C" * 50))) for at in range(5)}
    size = sum(map(len, eval_log(log(*"C" * 50)).values()))
    monkeypatch.setattr("leaderboard.importers.reading.source.MAX_BYTES", 3 * size)
    assert "at most 0 MiB" in refusal(logs)


def test_archives_are_opened_two_levels_deep_only() -> None:
    inner = zipped({"a.eval": zstandard(eval_log(LOG))})
    with pytest.raises(ImportFailed):
        imported({"b.eval": inner, "README.md": b""})
