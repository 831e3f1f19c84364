"""Harbor jobs: rewards, failures, usage and omitted trials."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from leaderboard.conditions import JudgedAttempt, judged, parse_rules
from leaderboard.importers import ImportFailed
from leaderboard.importers.tools.harbor_rewards import rewards_of_file
from leaderboard.services.imports.previews import samples_of
from tests.helpers.vectors import vectors
from tests.importers.uploads import FIXTURES, folder, imported, only_attempt, refusal, tarred

JOB = "6ef6d3e0-b2d5-4238-99d9-4988b1c67342"


def trial(task: str = "t1", at: int = 0, **more: Any) -> dict[str, Any]:
    """Return a trial's result; `rewards`, `exc`, `model` and `tok` are named as in the vectors."""
    rewards = {"rewards": more.get("rewards")} if more.get("verif", True) else None
    wrong = {"exception_type": more["exc"], "exception_message": "no"} if "exc" in more else None
    model = {"name": more["model"], "provider": more.get("provider")} if "model" in more else None
    return {
        "id": f"id-{at}",
        "task_name": task,
        "trial_name": f"{task}__t{at}",
        "source": "ds",
        "task_checksum": more.get("checksum", "c"),
        "config": {"job_id": "job"},
        "agent_info": {"name": "a1", "version": more.get("version", "1"), "model_info": model},
        "agent_result": more.get("tok"),
        "verifier_result": rewards,
        "exception_info": wrong,
        "started_at": f"2026-01-01T00:00:{at:02}Z",
        "finished_at": f"2026-01-01T00:01:{at:02}Z",
        "step_results": more.get("steps"),
        **more.get("raw", {}),
    }


def job(*trials: dict[str, Any], **evals: Any) -> dict[str, bytes]:
    """Return a job folder of these trials."""
    results: dict[str, Any] = {
        f"{trial_result['trial_name']}/result.json": trial_result for trial_result in trials
    }
    stats = {"evals": evals}
    results["result.json"] = {"id": "job", "n_total_trials": len(trials), "stats": stats}
    return {name: json.dumps(document).encode() for name, document in results.items()}


def test_a_real_job_is_read() -> None:
    contents = imported(FIXTURES / "harbor-job")
    assert contents.warnings == []
    oracle, scripted = contents.attempts
    assert oracle.participant == "oracle"
    assert scripted.participant == "script-agent (large-1)"
    assert scripted.meta == {
        "job": JOB,
        "agent": "script-agent",
        "version": "0.3.1",
        "model": "large-1",
        "provider": "acme",
        "dataset": "binary-set",
    }
    assert scripted.submitted_at == datetime(2026, 11, 20, 8, 7, 23, 460039, tzinfo=UTC)
    assert scripted.file_metrics["mean"] == 0.6666666666666666
    assert scripted.file_metrics["uv-script:mean"] == 0.6666666666666666
    assert set(scripted.specs) == {"mean", "max", "pass@2:unbiased", "pass@4:unbiased"}
    assert scripted.specs["mean"] == {"type": "mean", "name": "mean", "undefined": "zero"}
    assert contents.suggested["num_samples"] == 4
    assert contents.suggested["tasks"][0] == {"name": "fix-regex", "rewards": ["reward"]}
    assert [metric["type"] for metric in contents.suggested["metrics"]] == ["mean", "max"]


def test_a_trial_with_an_exception_has_failed_with_a_reason_of_one_line() -> None:
    scripted = imported(FIXTURES / "harbor-job").attempts[1]
    (died,) = (sample for sample in scripted.samples if sample["rewards"] is None)
    assert died["task"] == "hello-file"
    assert died["error"] == "RuntimeError: provider returned 529 overloaded"
    assert died["usage"] == {"elapsed_ms": 0}


def test_the_usage_is_the_known_usage() -> None:
    oracle, scripted = imported(FIXTURES / "harbor-job").attempts
    assert scripted.metrics["tokens_total"] == 16004 + 2854
    assert "cost_usd" not in scripted.metrics  # unknown for one trial with rewards
    assert "tokens_total" not in oracle.metrics
    assert oracle.metrics["elapsed_ms"] > 0


def test_counts_that_harbor_reports_become_stated_values() -> None:
    for vector in vectors("harbor_job_stats"):
        given, expected = vector["input"], vector["expected"]["value"]
        trials = [trial(**{**fields, "at": at}) for at, fields in enumerate(given["trials"])]
        files = job(*trials)
        announced = {"id": "job", "n_total_trials": given["n_total_trials"], "stats": {"evals": {}}}
        files["result.json"] = json.dumps(announced).encode()
        contents = imported(files)
        (attempt,) = contents.attempts
        (key, stats), *_ = expected["evals"].items()
        assert key == "__".join(
            attempt.meta[part] for part in ("agent", "model", "dataset") if part in attempt.meta
        ), vector["name"]
        assert (
            sum(sample["rewards"] is not None for sample in attempt.samples) == stats["n_trials"]
        ), vector["name"]
        assert sum(bool(sample["error"]) for sample in attempt.samples) == stats["n_errors"]
        for name, usage in (("n_input_tokens", "input_tokens"), ("cost_usd", "cost_usd")):
            usages = [
                sample["usage"][usage] or 0
                for sample in attempt.samples
                if usage in sample["usage"]
            ]
            assert (sum(usages) if usages else None) == expected[name], vector["name"]
        assert "3 trials; 2" in contents.warnings[0], vector["name"]


def test_reward_files_are_read() -> None:
    for vector in vectors("harbor_reward_files"):
        given, expected = vector["input"], vector["expected"]
        text = given["content"].encode()
        if "error" in expected:
            with pytest.raises(ImportFailed, match=given["file"]):
                rewards_of_file(given["file"], text)
        else:
            assert rewards_of_file(given["file"], text) == expected["value"], vector["name"]


def test_reward_files_that_harbor_accepts_are_accepted() -> None:
    assert rewards_of_file("reward.txt", b" 1_000\n") == {"reward": 1000.0}
    assert rewards_of_file("reward.txt", b"1e-3") == {"reward": 0.001}
    assert rewards_of_file("reward.json", b'{"a": true, "b": -2}') == {"a": 1.0, "b": -2.0}
    assert rewards_of_file("reward.json", b"{}") == {}


def test_other_reward_files_are_refused() -> None:
    texts = {
        "reward.txt": [b"inf", b"1e999", b"_", b"1" * 5000, b"\xff"],
        "reward.json": [
            *(b"1", b'{"a": null}', b'{"a": "1"}', b'{"a": NaN}', b'{"a": 1e309}'),
            b'{"a": {"b": 1}}',
        ],
    }
    for file, wrong in texts.items():
        for text in wrong:
            with pytest.raises(ImportFailed, match=file):
                rewards_of_file(file, text)


def test_rewards_that_the_verifier_did_not_write_are_reported() -> None:
    files = job(trial(rewards={"reward": 1.0}), trial("t2", 1, rewards={"reward": 1}))
    files["t1__t0/verifier/reward.txt"] = b"0.0\n"
    files["t2__t1/verifier/reward.json"] = b'{"reward": true}'
    (warning,) = imported(files).warnings
    assert warning.startswith("t1__t0/result.json: ")
    assert warning.endswith(" t1__t0/verifier/reward.txt")


def test_undefined_null_and_empty_rewards_are_distinguished() -> None:
    attempt = only_attempt(
        job(
            trial("t1", 0, rewards={"correct": 1, "style": 0.5}),
            trial("t1", 1, rewards={"correct": False}),
            trial("t1", 2, rewards={}),
            trial("t1", 3, rewards=None),
            trial("t1", 4, verif=False),
        )
    )
    assert [sample["rewards"] for sample in attempt.samples] == [
        {"correct": 1.0, "style": 0.5},
        {"correct": 0.0},
        {},
        None,
        None,
    ]
    assert [sample["sample"] for sample in attempt.samples] == [0, 1, 2, 3, 4]
    assert attempt.samples[3]["error"] == "the verifier gave no rewards"


def test_a_trial_may_have_rewards_and_an_exception() -> None:
    (sample,) = only_attempt(job(trial(rewards={"reward": 1}, exc="AgentTimeoutError"))).samples
    assert sample["rewards"] == {"reward": 1.0}
    assert sample["error"] == "AgentTimeoutError: no"


def test_several_rewards_are_stated_by_their_names() -> None:
    files = job(
        trial(rewards={"a": 1, "b": 0}),
        trial("t2", 1, rewards={"a": 0}),
        a1__ds={"metrics": [{"a": 0.5, "b": 0.0}], "pass_at_k": {}},
    )
    files["config.json"] = b'{"metrics": [{}]}'
    attempt = only_attempt(files)
    assert attempt.file_metrics == {"mean:a": 0.5, "mean:b": 0.0}
    assert attempt.specs["mean:b"] == {
        "type": "mean",
        "name": "mean:b",
        "reward": "b",
        "undefined": "zero",
    }


def test_a_metric_of_unknown_rewards_corresponds_to_none() -> None:
    attempt = only_attempt(
        job(
            trial(rewards={"a": 1, "b": 0}),
            a1__ds={"metrics": [{"a": 1.0, "b": 0.0}], "pass_at_k": {}},
        )
    )
    assert attempt.file_metrics == {"metric-1:a": 1.0, "metric-1:b": 0.0}
    assert attempt.specs == {}


def test_the_usage_of_steps_is_added_up() -> None:
    steps = [
        {
            "step_name": str(at),
            "agent_result": {"n_input_tokens": 10, "n_output_tokens": 1, "cost_usd": 0.5},
            "agent_execution": {
                "started_at": "2026-01-01T00:00:00Z",
                "finished_at": "2026-01-01T00:00:02Z",
            },
        }
        for at in range(3)
    ]
    (sample,) = only_attempt(job(trial(rewards={"reward": 1}, steps=steps))).samples
    assert sample["usage"] == {
        "tokens_total": 33,
        "input_tokens": 30,
        "output_tokens": 3,
        "elapsed_ms": 6000,
        "cost_usd": 1.5,
    }


def test_the_time_of_the_trial_is_used_if_that_of_the_agent_is_missing() -> None:
    (sample,) = only_attempt(job(trial(rewards={"reward": 1}))).samples
    assert sample["usage"] == {"elapsed_ms": 60_000}


def test_unfinished_and_unreadable_trials_are_skipped() -> None:
    files = job(trial(rewards={"reward": 1}), trial("t2", 1, rewards={"reward": 1}))
    files["t2__t1/result.json"] = b'{"trial_name": "t2__t1", "agent_info": {"na'
    files["t3__t2/config.json"] = b"{}"
    contents = imported(files)
    assert len(contents.attempts[0].samples) == 1
    unfinished, unreadable, missing = contents.warnings
    assert unfinished.startswith("left out: t3__t2 has no result.json")
    assert unreadable.startswith("left out: t2__t1/result.json: must be JSON")
    assert "2 trials; 1" in missing


def test_a_wrong_trial_is_skipped_and_its_place_reported() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"verifier_result": {"rewards": {"reward": "1"}}}, "verifier_result.rewards.reward"),
        ({"verifier_result": {"rewards": [1]}}, "verifier_result.rewards"),
        ({"verifier_result": 3}, "verifier_result"),
        ({"task_name": None}, "task_name"),
        ({"task_name": "a\x00b"}, "task_name"),
        ({"agent_info": {"name": ["x"]}}, "agent_info.name"),
        ({"agent_result": {"n_input_tokens": -1}}, "agent_result.n_input_tokens"),
        ({"agent_result": {"cost_usd": 1e300}}, "agent_result.cost_usd"),
        ({"started_at": "yesterday"}, "started_at"),
        ({"step_results": {}}, "step_results"),
    ]
    for wrong, place in cases:
        files = job(trial(rewards={"reward": 1}), trial("t2", 1, rewards={"reward": 1}, raw=wrong))
        warning = imported(files).warnings[0]
        assert warning.startswith(f"left out: t2__t1/result.json, {place}: must")


def test_a_single_trial_is_read() -> None:
    attempt = only_attempt({"anything.json": json.dumps(trial(rewards={"reward": 1})).encode()})
    assert attempt.participant == "a1"
    assert len(attempt.samples) == 1


def test_a_single_broken_trial_is_refused() -> None:
    assert "left out: " in refusal(json.dumps(trial(raw={"task_name": 1})).encode())


def test_a_job_result_without_trials_gives_a_warning() -> None:
    contents = imported((FIXTURES / "harbor-job" / "result.json").read_bytes())
    assert contents.attempts == []
    assert "no trials" in contents.warnings[0]


def test_two_jobs_in_one_archive_are_two_attempts() -> None:
    first = {f"one/{name}": text for name, text in folder("harbor-job").items()}
    second = {
        f"two/{name}": text.replace(JOB.encode(), b"other-job") for name, text in first.items()
    }
    contents = imported(tarred({**first, **second}))
    names = sorted(attempt.participant for attempt in contents.attempts)
    assert names == ["oracle", "oracle", "script-agent (large-1)", "script-agent (large-1)"]
    assert len({attempt.source_id for attempt in contents.attempts}) == 4
    assert all(attempt.file_metrics for attempt in contents.attempts)


def test_the_same_trial_twice_counts_once() -> None:
    files = job(trial(rewards={"reward": 1}))
    files["copy/t1__t0/result.json"] = files["t1__t0/result.json"]
    contents = imported(files)
    assert len(contents.attempts[0].samples) == 1
    (warning,) = contents.warnings
    assert warning.startswith("left out: copy/t1__t0/result.json: ")


def test_systems_with_the_same_name_are_distinguished() -> None:
    files = job(
        trial("t1", 0, rewards={"reward": 1}, model="large-1", provider="acme"),
        trial("t1", 1, rewards={"reward": 1}, model="large-1", provider="zeta"),
        trial("t1", 2, rewards={"reward": 1}, model="small-1", provider="acme"),
        a1__large_1__ds={"metrics": [{"mean": 1.0}]},
    )
    contents = imported(files)
    assert [attempt.participant for attempt in contents.attempts] == [
        "a1 1 (acme/large-1)",
        "a1 1 (zeta/large-1)",
        "a1 (small-1)",
    ]
    assert sum("versions or providers" in warning for warning in contents.warnings) == 2


def test_a_changed_task_is_reported() -> None:
    files = job(
        trial("t1", 0, rewards={"reward": 1}, checksum="x"),
        trial("t1", 1, rewards={"reward": 1}, checksum="y"),
    )
    (warning,) = imported(files).warnings
    assert warning.startswith("a1: the task t1 ")
    assert "2 checksums" in warning


def test_a_finished_job_has_other_ids_than_the_unfinished_one() -> None:
    first = only_attempt(job(trial(rewards={"reward": 1})))
    more = only_attempt(job(trial(rewards={"reward": 1}), trial("t2", 1, rewards={"reward": 1})))
    assert first.source_id != more.source_id


OWN, OF_JOB = "t1__t0/lock.json", "lock.json"
LOCK = {"task": {"name": "t1", "digest": "d1"}, "timeout_multiplier": 1.0}
RAISED = {**LOCK, "timeout_multiplier": 2.5}
MOUNTS = {"environment": {"mounts": [{"source": "/answers"}]}}
MANY = {**{f"other{number}": 1 for number in range(300)}, "timeout_multiplier": 9}
WRONG_RUNS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"timeout_multiplier": 1.0}, {OWN: LOCK}, ""),
    ({"timeout_multiplier": 1.0}, {OWN: RAISED}, "run_conditions"),
    ({"timeout_multiplier": 1.0}, {OWN: LOCK, OF_JOB: {"trials": [RAISED]}}, "run_conditions"),
    ({}, {OWN: RAISED}, "run_conditions"),
    ({}, {OWN: LOCK, "t1__t0/config.json": {"timeout_multiplier": 3}}, "run_conditions"),
    ({}, {OWN: LOCK, "config.json": MOUNTS}, "run_conditions"),
    ({"timeout_multiplier": 1e305}, {OWN: LOCK}, "run_conditions"),
    (MOUNTS, {OWN: LOCK}, "run_conditions"),
    (MANY, {}, "run_conditions"),
    (
        {},
        {OWN: LOCK, OF_JOB: {"trials": [{"task": {"name": "t1", "digest": "d2"}}]}},
        "task_versions",
    ),
    ({}, {OWN: LOCK, "t1__t0/agent/trajectory.json": {"steps": [{}]}}, "evidence_of_passes"),
]


@pytest.mark.parametrize(("config", "files", "broken"), WRONG_RUNS)
def test_the_worse_of_contradicting_files_counts(
    config: dict[str, Any], files: dict[str, Any], broken: str
) -> None:
    passing = trial(rewards={"reward": 1.0}, raw={"config": {"job_id": "job", **config}})
    shows = {"t1__t0/agent/trajectory.json": {"steps": [{"message": "done"}]}, **files}
    attempt = only_attempt(
        job(passing) | {name: json.dumps(content).encode() for name, content in shows.items()}
    )
    rules = parse_rules(
        [
            {"rule": "task_versions", "unknown": "ok", "accept": {"t1": ["d1"]}},
            {"rule": "evidence_of_passes"},
            {
                "rule": "run_conditions",
                "allow": {"timeout_multiplier": [None, 1], "environment.mounts": [None, []]},
            },
        ]
    )
    samples = samples_of(attempt)
    findings = judged(rules, JudgedAttempt(samples))
    assert {finding.rule for finding in findings} == {broken} - {""}
