"""τ-bench and τ²-bench: runs and simulations as samples, pass^k as the tools compute it.

The fixtures follow the tools' published source (`tau_bench/run.py`,
`tau2/data_model/simulation.py`): neither is in a package registry. `tau2-bench-saved.json` was
saved by τ²'s own `Results.save` (a2c0247), of invented simulations. The formulas are those of the
tools.
"""

import json
from collections import defaultdict
from math import comb
from typing import Any

import pytest

from tests.importers.arithmetic import value_of
from tests.importers.uploads import (
    assert_refused,
    folder,
    imported,
    only_attempt,
    refusal,
    rewards_of,
)

NAMED = "react-org-m-1.5-0.2_range_0-50_user-gpt-4o-llm_1122101500.json"
((FIXTURE, RUNS),) = folder("tau-bench").items()
((FIXTURE_2, RESULTS),) = folder("tau2-bench").items()


def run(task: Any = 0, trial: Any = 0, reward: Any = 1.0, **info: Any) -> dict[str, Any]:
    return {"task_id": task, "trial": trial, "reward": reward, "info": info, "traj": []}


def simulation(task: Any = "0", trial: Any = 0, reward: Any = 1.0, **fields: Any) -> dict[str, Any]:
    reward_info = None if reward is None else {"reward": reward, "reward_breakdown": None}
    return {
        "id": f"{task}-{trial}",
        "task_id": task,
        "trial": trial,
        "reward_info": reward_info,
        **fields,
    }


def results(*simulations: Any, **info: Any) -> bytes:
    about = {"agent_info": {"implementation": "llm_agent", "llm": "m"}, "environment_info": {}}
    whole = {"info": {**about, **info}, "tasks": [], "simulations": list(simulations)}
    return json.dumps(whole).encode()


def pass_hat(rewards: list[tuple[Any, float | None]], k: int) -> float:
    """Return the mean over tasks of C(successes, k) / C(trials, k)."""
    tasks = defaultdict(list)
    for task, reward in rewards:
        tasks[task].append(reward is not None and abs(reward - 1) <= 1e-6)
    shares = [comb(sum(passed), k) / comb(len(passed), k) for passed in tasks.values()]
    return sum(shares) / len(shares)


def test_runs_of_tau_bench_are_read() -> None:
    contents = imported(RUNS, FIXTURE)
    (attempt,) = contents.attempts
    assert attempt.participant == "tool-calling (acme-1b)"
    assert attempt.meta["user"] == "gpt-4o"
    assert [(sample["task"], sample["sample"]) for sample in attempt.samples[:4]] == [
        ("0", 0),
        ("1", 0),
        ("2", 0),
        ("0", 1),
    ]
    assert attempt.samples[5]["rewards"] == {"reward": None}
    assert attempt.samples[5]["error"] == "litellm.RateLimitError: too many requests"


def test_metrics_of_tau_bench_equal_the_tools() -> None:
    contents = imported(RUNS, FIXTURE)
    rewards = [(load["task_id"], load["reward"]) for load in json.loads(RUNS)]
    first, second, mean = contents.suggested["metrics"]
    assert contents.suggested["rank_by"] == [{"key": first["name"], "direction": "desc"}]
    assert value_of(contents.attempts[0], first) == pass_hat(rewards, 1) == 0.5
    assert value_of(contents.attempts[0], second) == pass_hat(rewards, 2) == 1 / 3
    assert value_of(contents.attempts[0], mean) == 0.5


def test_trials_are_sorted_for_any_order_of_the_file() -> None:
    upload = json.dumps([run(0, 1, 0.0), run(0, 0, 1.0)]).encode()
    attempt = only_attempt(upload, NAMED)
    assert [rewards_of(sample)["reward"] for sample in attempt.samples] == [1.0, 0.0]


def test_agent_and_model_are_read_from_the_file_name() -> None:
    attempt = only_attempt(json.dumps([run()]).encode(), NAMED)
    assert attempt.participant == "react (org-m-1.5)"


def test_a_renamed_file_needs_a_participant() -> None:
    assert "participant: must be given" in refusal(RUNS, "results.json")
    assert only_attempt(RUNS, "results.json", participant="a").participant == "a"


def test_errors_name_a_wrong_run() -> None:
    cases: list[tuple[Any, str]] = [
        (run(trial=None), "[1].trial: a whole number from 0"),
        (run(trial=-1), "[1].trial: a whole number from 0"),
        (run(task=1.5), "[1].task_id: a text"),
        (run(reward="1"), "[1].reward: a number"),
        (run(reward=float("nan")), "[1].reward: a finite number"),
        ("x", "[1]: an object"),
    ]
    for wrong, message in cases:
        assert_refused(json.dumps([run(), wrong]).encode(), message, NAMED)


def test_simulations_of_tau2_are_read() -> None:
    contents = imported(RESULTS, FIXTURE_2)
    (attempt,) = contents.attempts
    assert attempt.participant == "llm_agent (acme-1b)"
    assert attempt.meta["dataset"] == "airline"
    assert attempt.samples[0] == {
        "task": "airline/0",
        "sample": 0,
        "rewards": {"DB": 1.0, "COMMUNICATE": 1.0, "reward": 1.0},
        "usage": {
            "tokens_total": 320,
            "input_tokens": 300,
            "output_tokens": 20,
            "elapsed_ms": 42500,
            "cost_usd": 0.02,
        },
        "error": "",
        "run": {"id": "0-0-f3", "evidence": ["trajectory"]},
    }


def test_parts_of_a_reward_that_were_not_computed_are_undefined() -> None:
    attempt = only_attempt(RESULTS, FIXTURE_2)
    ended_early = next(sample for sample in attempt.samples if sample["task"] == "airline/2")
    assert ended_early["rewards"] == {"DB": 0.0, "reward": 0.0}


def test_metrics_of_tau2_equal_the_tools_without_infrastructure_errors() -> None:
    contents = imported(RESULTS, FIXTURE_2)
    (attempt,) = contents.attempts
    assert [
        sample["error"] for sample in attempt.samples if sample["rewards"] == {"reward": None}
    ] == ["infrastructure_error"]
    assert "1 of 7 simulations" in contents.warnings[0]
    rewards = [
        (row["task_id"], row["reward_info"]["reward"])
        for row in json.loads(RESULTS)["simulations"]
        if row["termination_reason"] != "infrastructure_error"
    ]
    metrics = {
        metric["name"]: value_of(attempt, metric) for metric in contents.suggested["metrics"]
    }
    assert metrics["pass^1:unbiased:reward"] == pass_hat(rewards, 1) == 0.5
    assert metrics["pass^2:unbiased:reward"] == pass_hat(rewards, 2) == 1 / 3
    assert metrics["mean:reward"] == 0.5


def test_results_saved_by_tau2_have_the_numbers_that_it_computes() -> None:
    """Its own `compute_metrics` gives a mean of 0.6, and 0.5 for pass^1."""
    ((name, saved),) = folder("tau2-bench-saved.json").items()
    contents = imported(saved, name)
    (attempt,) = contents.attempts
    assert (attempt.participant, len(attempt.samples)) == ("llm_agent (org/m-1)", 6)
    assert attempt.metrics == {"elapsed_ms": 33000, "cost_usd": pytest.approx(0.06)}
    assert len(contents.warnings) == 1
    computed = {
        metric["name"]: value_of(attempt, metric) for metric in contents.suggested["metrics"]
    }
    assert computed["mean:reward"] == pytest.approx(0.6)
    assert computed["pass^1:unbiased:reward"] == 0.5


def test_a_folder_of_simulations_gives_the_same_as_one_file() -> None:
    whole = json.loads(RESULTS)
    simulations = whole.pop("simulations")
    upload = {
        "run/results.json": json.dumps(whole).encode(),
        **{f"run/simulations/{row['id']}.json": json.dumps(row).encode() for row in simulations},
    }
    attempt, same = only_attempt(upload), only_attempt(RESULTS, FIXTURE_2)
    assert attempt.source_id == same.source_id
    assert sorted(map(json.dumps, attempt.samples)) == sorted(map(json.dumps, same.samples))


def test_the_results_of_a_folder_without_simulations_are_refused() -> None:
    assert "must contain simulations" in refusal(results(), "results.json")


def test_each_domain_is_an_attempt_with_its_own_tasks() -> None:
    upload = {
        f"{name}.json": results(simulation(), environment_info={"domain_name": name})
        for name in ("airline", "retail")
    }
    attempts = imported(upload).attempts
    assert [attempt.samples[0]["task"] for attempt in attempts] == ["airline/0", "retail/0"]


def test_a_long_task_id_is_shortened_and_stays_unique() -> None:
    long = ["x" * 300 + end for end in "ab"]
    attempt = only_attempt(results(*(simulation(task) for task in long)))
    names = [sample["task"] for sample in attempt.samples]
    assert len(set(names)) == 2
    assert all(len(name) <= 255 for name in names)


def test_a_simulation_without_a_reward_has_failed() -> None:
    attempt = only_attempt(results(simulation(reward=None)))
    assert attempt.samples[0]["rewards"] == {"reward": None}
    assert attempt.samples[0]["error"] == "not scored"


def test_errors_name_a_wrong_simulation() -> None:
    cases: list[tuple[Any, str]] = [
        (simulation(task=None), "simulations[0].task_id: a text"),
        (simulation(reward="1"), "simulations[0].reward_info.reward: a number"),
        (simulation(duration=-1), "simulations[0].duration: a number from 0"),
        (simulation(trial=0.5), "simulations[0].trial: a whole number"),
        (simulation(messages="x"), "simulations[0].messages: a list"),
    ]
    for wrong, message in cases:
        assert_refused(results(wrong), message, "results.json")
