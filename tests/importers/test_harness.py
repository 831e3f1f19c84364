"""The shared code of importers for evaluation tools, and its time, which grows linearly."""

import json
from cProfile import Profile
from typing import Any

import pytest

from leaderboard.importers import ImportFailed, Source
from leaderboard.importers.reading.harness import (
    broken,
    distinct,
    put,
    task_name,
    totals,
    value_name,
)
from leaderboard.importers.reading.json_files import JsonFiles
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.naming import participant_of
from leaderboard.importers.reading.samples import sample
from leaderboard.rules.texts.value_names import is_value_name
from tests.importers.uploads import lines, only_attempt, zipped


def test_the_name_of_a_value_is_always_valid() -> None:
    for text in ("a b", "MTEB(eng, v2)", "日本語", "", "x" * 200, "__a__", "a/b%"):
        assert is_value_name(value_name(text)), text


def test_the_name_of_a_value_keeps_valid_characters() -> None:
    assert value_name("mmlu.stem:std") == "mmlu.stem:std"
    assert value_name("win rate (%)") == "win_rate"


def test_long_names_of_tasks_stay_different() -> None:
    part = JsonValue("x", "file")
    names = {task_name(part, "x" * 400 + end) for end in "abc"}
    assert len(names) == 3
    assert max(map(len, names)) <= 255
    assert task_name(part, "short") == "short"


def test_a_reward_that_is_absent_or_nan_is_undefined() -> None:
    cases: list[tuple[Any, dict[str, float]]] = [
        (None, {}),
        (float("nan"), {}),
        (True, {"r": 1.0}),
        (0, {"r": 0.0}),
        (2.5, {"r": 2.5}),
    ]
    for value, taken in cases:
        rewards: dict[str, float | None] = {}
        put(rewards, "r", JsonValue(value, "file"))
        assert rewards == taken, value


def test_a_reward_that_is_no_number_is_refused() -> None:
    values: list[object] = ["1", float("inf"), [], {}]
    for value in values:
        with pytest.raises(ImportFailed, match=r"file, a\.b: must be a"):
            put({}, "r", JsonValue(value, "file", path=("a", "b")))


def test_a_number_that_is_not_finite_is_none() -> None:
    for value in (True, "1", None, float("nan"), float("inf"), 10**400):
        assert JsonValue(value, "file").finite() is None, value


def test_equal_names_get_a_number() -> None:
    assert distinct(["a", "b", "a", "a"]) == ["a", "b", "a #2", "a #3"]


def test_the_participant_is_the_given_one_or_agent_and_model() -> None:
    assert participant_of("atlas", "agent", "model", "f") == "atlas"
    assert participant_of("", "agent", "model", "f") == "agent (model)"
    with pytest.raises(ImportFailed, match="f: participant: must be given"):
        participant_of("", "", "", "f")


def test_a_broken_sample_does_not_hide_the_usage_of_the_others() -> None:
    scored = sample("a", {"r": 1.0}, {"elapsed_ms": 5})
    assert totals([scored, broken("b", ["r"])]) == {"elapsed_ms": 5}


def test_transcripts_of_other_tools_are_not_read() -> None:
    files = {"samples/1.json": b'{"mine": 1}', "other.json": b'{"mine": 1}'}
    mine = JsonFiles(lambda document: "mine" in document, marks=[b'"mine"'])
    with Source.open(zipped(files)) as source:
        assert list(mine.marked(source)) == ["other.json"]
        assert mine.recognise(source)


def tau(count: int) -> bytes:
    run = {"reward": 1.0, "info": {}, "traj": [{"content": "x" * 100}]}
    return json.dumps(
        [{**run, "task_id": at // 4, "trial": at % 4} for at in range(count)]
    ).encode()


def promptfoo(count: int) -> bytes:
    row = {
        "provider": {"id": "m"},
        "prompt": {"raw": "r"},
        "promptIdx": 0,
        "success": True,
        "score": 1,
        "namedScores": {"f1": 0.5},
        "response": {},
        "failureReason": 0,
    }
    rows = [
        {**row, "testIdx": at, "vars": {"x": at}, "testCase": {"vars": {"x": at}}}
        for at in range(count)
    ]
    return json.dumps(
        {"results": {"version": 3, "results": rows, "stats": {"successes": count}}}
    ).encode()


def evalplus(count: int) -> bytes:
    solution = {"base_status": "pass", "plus_status": "fail", "solution": "x" * 100}
    tasks = {f"T/{at}": [solution] * 10 for at in range(count // 10)}
    return json.dumps({"hash": "h", "eval": tasks}).encode()


def swebench(count: int) -> bytes:
    ids = [f"id-{at}" for at in range(count)]
    lists = {"resolved_ids": ids[::2], "unresolved_ids": ids[1::2], "submitted_ids": ids}
    return json.dumps({"total_instances": count, "resolved_instances": 1, **lists}).encode()


def mteb(count: int) -> bytes:
    scores = [{"main_score": 0.5, "hf_subset": f"s{at}"} for at in range(count)]
    return json.dumps({"task_name": "T", "scores": {"test": scores}}).encode()


def evals(count: int) -> bytes:
    spec = {"spec": {"completion_fns": ["m"], "eval_name": "e", "run_id": "r"}}
    matches = (
        {"type": "match", "sample_id": f"e.{at}", "data": {"correct": True}} for at in range(count)
    )
    return lines(spec, {"final_report": {"accuracy": 1.0}}, *matches)


def test_time_grows_with_the_file() -> None:
    """Four times the samples take about four times as many calls; quadratic code would take
    sixteen."""
    for made in (tau, promptfoo, evalplus, swebench, mteb, evals):
        few, many = (calls_for(made(count), count) for count in (500, 2_000))
        assert many < 6 * few, made.__name__


def calls_for(upload: bytes, count: int) -> int:
    """Return how many functions are called to read an upload of so many samples."""
    profile = Profile()
    profile.enable()
    try:
        attempt = only_attempt(upload, participant="atlas")
    finally:
        profile.disable()
    assert len(attempt.samples) == count
    return sum(getstat.callcount for getstat in profile.getstats())
