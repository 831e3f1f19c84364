"""verifiers, both generations: rewards, failures, stated and undefined values."""

import json
from typing import Any

import pytest

from leaderboard.importers import ImportedAttempt, ImportFailed
from tests.helpers.vectors import vectors
from tests.importers.arithmetic import value_of
from tests.importers.uploads import (
    FIXTURES,
    assert_refused,
    folder,
    imported,
    lines,
    only_attempt,
    refusal,
)

METADATA = {"env_id": "e", "model": "m", "rollouts_per_example": 1, "pass_threshold": 0.5}


def rollouts(*rows: dict[str, Any], **metadata: Any) -> dict[str, bytes]:
    """Return a folder of verifiers 0.1; each row without an `example_id` is a separate example."""
    whole = ({"example_id": at, "reward": 0.0, **row} for at, row in enumerate(rows))
    stated = json.dumps({**METADATA, **metadata}).encode()
    return {"results.jsonl": lines(*whole), "metadata.json": stated}


def episode(key: str = "k", at: int | None = None, *traces: dict[str, Any]) -> dict[str, Any]:
    """Return an episode of verifiers 0.4 with the fields that the importer reads."""
    return {
        "id": f"episode-{key}",
        "env": {"id": "env"},
        "run": {"id": "run"},
        "task": {"key": key, "data": {} if at is None else {"idx": at}},
        "traces": [
            {
                "id": f"{key}-{number}",
                "verifiers": {"version": "0.4.0"},
                "agent": {"name": "agent", "config": {"model": "m", "harness": {"id": "null"}}},
                "ok": True,
                **trace,
            }
            for number, trace in enumerate(traces)
        ],
    }


def rewards(attempt: ImportedAttempt) -> list[Any]:
    return [sample["rewards"] for sample in attempt.samples]


def test_a_real_run_of_rollouts_is_read() -> None:
    attempt = only_attempt(FIXTURES / "verifiers-v0")
    assert attempt.participant == "acme/large-1"
    assert attempt.meta["dataset"] == "echo-words"
    assert attempt.meta["harness"] == "verifiers 0.1.14"
    assert len(attempt.samples) == 24
    assert attempt.samples[0] == {
        "task": "0",
        "sample": 0,
        "rewards": {"exact_match": 1.0, "short_reply": 1.0, "num_turns": 1.0, "reward": 1.1},
        "usage": {"tokens_total": 89, "input_tokens": 67, "output_tokens": 22, "elapsed_ms": 7},
        "error": "",
    }
    failed = [sample for sample in attempt.samples if sample["rewards"] is None]
    assert [sample["error"] for sample in failed] == ["ModelError('provider timeout')"] * 3
    assert attempt.file_metrics["mean:reward"] == 0.6708333333333333
    assert attempt.file_metrics["pass@2:unbiased:reward"] == 0.8055555555555557
    assert attempt.file_metrics["avg_error"] == 0.125
    assert attempt.specs["mean:reward"]["failed"] == "zero"


def domains() -> tuple[list[dict[str, Any]], list[bool]]:
    """The rollouts of two domains, with zeros where the metric of the other one stands."""
    physics = [65.0, 72, 58, 81, 45, 67, 73, 59, 68, 74, 0, 0]
    chemistry = [0.0] * 10 + [88.0, 76.0]
    rows = [
        {"metrics": {"physics": one, "chemistry": two}}
        for one, two in zip(physics, chemistry, strict=True)
    ]
    return rows, [at >= 10 for at in range(12)]


def test_metrics_with_a_flag_are_undefined() -> None:
    rows, is_chemistry = domains()
    flags = [{"physics": chemistry, "chemistry": not chemistry} for chemistry in is_chemistry]
    names = [[name for name, flag in row.items() if flag] for row in flags]
    whole = {name: [row[name] for row in flags] for name in ("physics", "chemistry")}
    by_row = [
        [{**row, "sparse_metrics": own} for row, own in zip(rows, sparse_metrics, strict=True)]
        for sparse_metrics in (flags, names)
    ]
    for upload in (
        *(rollouts(*rollout_rows) for rollout_rows in by_row),
        rollouts(*rows, sparse_metrics=whole),
    ):
        contents = imported(upload)
        (attempt,) = contents.attempts
        assert contents.suggested["tasks"] == [{"name": str(at)} for at in range(12)]
        means = {
            name: value_of(attempt, {"type": "mean", "name": name, "reward": name})
            for name in whole
        }
        assert means == {"physics": pytest.approx(66.2), "chemistry": pytest.approx(82.0)}
        defined = [sum(name in (row or {}) for row in rewards(attempt)) for name in whole]
        assert defined == [10, 2]
    plain = only_attempt(rollouts(*rows))
    assert all(len(row) == 3 for row in rewards(plain)), "zeros without a flag are results"


def test_averages_are_compared() -> None:
    for vector in vectors("verifiers_averages"):
        expected = vector["expected"]["value"]
        stated = {key: value for key, value in expected.items() if key != "avg_input_tokens"}
        attempt = only_attempt(rollouts(*vector["input"]["outputs"], **stated))
        assert attempt.file_metrics["mean:reward"] == expected["avg_reward"], vector["name"]
        for name, value in expected["avg_metrics"].items():
            spec = attempt.specs[f"mean:{name}"]
            assert value_of(attempt, spec) == pytest.approx(value, abs=vector["tolerance"])
        errors = [sample["error"] for sample in attempt.samples]
        assert sum(map(bool, errors)) / len(errors) == expected["avg_error"], vector["name"]


def test_a_missing_reward_is_undefined_and_a_null_one_not_scored() -> None:
    attempt = only_attempt(
        rollouts(
            {"reward": 1, "metrics": {"a": 1, "b": None}},
            {"reward": 0, "metrics": {"b": 2, "c": None}},
            {"reward": 0, "metrics": {}},
        )
    )
    assert rewards(attempt) == [
        {"a": 1.0, "b": None, "reward": 1.0},
        {"b": 2.0, "reward": 0.0},
        {"reward": 0.0},
    ]


def test_averages_that_treat_failures_inconsistently_are_not_compared() -> None:
    attempt = only_attempt(
        rollouts(
            {"example_id": 0, "reward": 1, "metrics": {"a": 1}},
            {"example_id": 0, "metrics": {"a": 0}, "error": {"error": "X"}},
            {"example_id": 0, "metrics": {}, "error": {"error": "X"}},
            avg_reward=1 / 3,
            avg_metrics={"a": 0.5},
        )
    )
    assert attempt.file_metrics["mean:a"] == 0.5
    assert set(attempt.specs) == {"mean:reward"}


def test_passes_under_other_rules_are_not_compared() -> None:
    cases: list[tuple[list[dict[str, Any]], dict[str, Any]]] = [
        ([{"reward": 0.7}, {"reward": 1}], {}),
        ([{"reward": 1.5}, {"reward": 1}], {"pass_threshold": 2}),
        ([{"reward": 1}, {"reward": 1}], {"rollouts_per_example": 2}),
    ]
    for rows, metadata in cases:
        attempt = only_attempt(
            rollouts(*rows, **metadata, pass_at_k={"1": 1.0}, pass_all_k={"1": 0.5})
        )
        assert attempt.file_metrics == {"pass_at_k.1": 1.0, "pass_all_k.1": 0.5}, rows
        assert attempt.specs == {}, rows


def test_lines_that_verifiers_skips_are_skipped() -> None:
    files = rollouts({"reward": 1}, {"reward": 0})
    files["results.jsonl"] += b'{"example_id": 7, "rew\n[]\n{"reward": 1}\n'
    contents = imported(files)
    assert len(contents.attempts[0].samples) == 2
    assert [warning.partition(", ")[2].partition(";")[0] for warning in contents.warnings] == [
        "line 3: must be JSON",
        "line 4: must be an object",
        "line 5: must have an example_id",
    ]


def test_rollouts_without_metadata_need_a_participant() -> None:
    upload = folder("verifiers-v0")["results.jsonl"]
    with pytest.raises(ImportFailed, match=r"participant: .* metadata\.json"):
        imported(upload)
    assert only_attempt(upload, participant="atlas").participant == "atlas"


def test_metadata_without_rollouts_is_refused() -> None:
    assert "got the metadata.json alone" in refusal(
        folder("verifiers-v0")["metadata.json"], "metadata.json"
    )


def test_errors_name_a_wrong_field_of_a_rollout() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"reward": "1"}, "line 1, reward: a number"),
        ({"reward": float("nan")}, "line 1, reward: a finite number"),
        ({"metrics": {"a": []}}, "line 1, metrics.a: a number"),
        ({"metrics": []}, "line 1, metrics: an object"),
        ({"example_id": 1.5}, "line 1, example_id: a text"),
        ({"example_id": ""}, "line 1, example_id: 1 to 255 characters"),
        ({"token_usage": {"input_tokens": 0.5}}, "line 1, token_usage.input_tokens: whole"),
        ({"timing": {"total": -1}}, "line 1, timing.total: a number from 0"),
    ]
    for row, message in cases:
        assert_refused(rollouts(row), f"results.jsonl, {message}")


def test_older_timings_are_in_milliseconds() -> None:
    attempt = only_attempt(rollouts({"timing": {"total_ms": 1234.6}}))
    assert attempt.samples[0]["usage"] == {"elapsed_ms": 1235}


def test_each_run_of_an_archive_becomes_an_attempt() -> None:
    first, second = rollouts({"reward": 1}), rollouts({"reward": 0}, model="other")
    files = {f"{at}/{name}": run[name] for at, run in enumerate([first, second]) for name in run}
    assert [attempt.participant for attempt in imported(files).attempts] == ["m", "other"]


def test_a_real_run_of_traces_is_read() -> None:
    attempt = only_attempt(FIXTURES / "verifiers-v1")
    assert attempt.participant == "acme/large-1"
    assert attempt.meta == {
        "model": "acme/large-1",
        "dataset": "two_domains_v1",
        "job": "disabled-4140180206754618",
        "harness": "verifiers 0.4.0",
    }
    assert attempt.samples[0]["task"] == "2-d4824e6bc8c5"
    assert attempt.samples[0]["rewards"] == {
        "reply_len": 2.0,
        "exact": 0.0,
        "physics_reward": 0.25,
        "reward": 0.125,
    }
    assert sorted({sample["sample"] for sample in attempt.samples}) == [0, 1, 2]
    assert attempt.metrics["tokens_total"] == 344


def test_traces_are_read() -> None:
    for vector in vectors("verifiers_v1"):
        expected, tolerance = vector["expected"]["value"], vector["tolerance"]
        given = [
            episode(str(at), at, traces) for at, traces in enumerate(vector["input"]["traces"])
        ]
        all_rewards = rewards(only_attempt(lines(*given)))
        totals = [(sample_rewards or {}).get("reward") or 0.0 for sample_rewards in all_rewards]
        assert totals == pytest.approx(expected["trace_rewards"], abs=tolerance), vector["name"]
        scored = [
            sample_rewards["reward"]
            for sample_rewards in all_rewards
            if sample_rewards and sample_rewards["reward"] is not None
        ]
        headline = f"{sum(scored) / len(scored):.2f}"
        if len(scored) < len(all_rewards):
            headline += f" ({sum(totals) / len(totals):.2f})"
        assert headline == expected["headline"], vector["name"]


def test_a_metric_of_another_task_is_undefined() -> None:
    attempt = only_attempt(
        lines(
            episode("a", 0, {"rewards": {}, "metrics": {"physics": 66.0}}),
            episode("b", 1, {"rewards": {}, "metrics": {"chem": 80.0}}),
        )
    )
    assert rewards(attempt) == [
        {"physics": 66.0, "reward": 0.0},
        {"chem": 80.0, "reward": 0.0},
    ]


def test_placeholders_are_dropped_and_traces_that_did_not_run_have_failed() -> None:
    score = {"score": 1.0, "weight": 0.5}
    attempt = only_attempt(
        lines(
            episode("a", 0, {"rewards": {"physics": score, "domain": None}}),
            episode("b", 1, {"rewards": {"physics": None, "domain": None}}),
            episode("c", 2, {"rewards": {"chem": score, "physics": None}}),
        )
    )
    assert rewards(attempt) == [
        {"physics": 1.0, "reward": 0.5},
        {"physics": None, "reward": None},
        {"chem": 1.0, "physics": None, "reward": 0.5},
    ]
    assert attempt.samples[1]["error"] == "not scored"


def test_errors_have_their_type_and_first_line() -> None:
    wrong = {"type": "ModelError", "message": "timed out\nat /home/x", "traceback": "PRIVATE"}
    attempt = only_attempt(lines(episode("a", 0, {"ok": False, "errors": [wrong], "rewards": {}})))
    assert attempt.samples[0]["rewards"] is None
    assert attempt.samples[0]["error"] == "ModelError: timed out"


def test_judges_are_no_participants() -> None:
    judge = {"agent": {"name": "judge", "trainable": False}, "rewards": {"x": {"score": 9}}}
    attempt = only_attempt(lines(episode("a", 0, {"rewards": {}}, judge)))
    assert rewards(attempt) == [{"reward": 0.0}]


def test_each_agent_of_an_episode_is_a_separate_attempt() -> None:
    seats = [
        {"agent": {"name": name, "config": {"model": "m"}}, "rewards": {}} for name in ("x", "y")
    ]
    contents = imported(lines(episode("a", 0, *seats)))
    assert [attempt.participant for attempt in contents.attempts] == ["x (m)", "y (m)"]


def test_an_episode_without_traces_is_a_failure_of_the_only_agent() -> None:
    lost = {**episode("b", 1), "errors": [{"type": "BootError", "message": "no"}]}
    attempt = only_attempt(lines(episode("a", 0, {"rewards": {}}), lost))
    assert rewards(attempt) == [{"reward": 0.0}, None]
    assert attempt.samples[1]["error"] == "BootError: no"


def test_an_episode_without_traces_counts_for_none_of_several_agents() -> None:
    seats = [{"agent": {"name": name}, "rewards": {}} for name in ("x", "y")]
    contents = imported(lines(episode("a", 0, *seats), episode("b", 1)))
    (warning,) = contents.warnings
    assert "episode-b" in warning
    assert warning.endswith("2 agents")


def test_traces_without_an_agent_are_refused() -> None:
    assert "trace of an agent" in refusal(lines(episode("a", 0)))


def test_errors_name_a_wrong_field_of_a_trace() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"rewards": {"x": 1.0}}, "traces[0].rewards.x: an object"),
        ({"rewards": {"x": {"score": "1"}}}, "traces[0].rewards.x.score: a number"),
        ({"rewards": {"x": {"score": 1e308, "weight": 1e9}}}, "traces[0].rewards: finite"),
        ({"id": None}, "traces[0].id: a text"),
        ({"agent": []}, "traces[0].agent: an object"),
    ]
    for trace, message in cases:
        assert_refused(lines(episode("a", 0, trace)), f"line 1, {message}", "traces.jsonl")


def test_a_broken_line_of_traces_is_refused() -> None:
    assert "traces.jsonl, line 2: must be JSON" in refusal(
        lines(episode("a", 0, {"rewards": {}})) + b"{,}", "traces.jsonl"
    )
