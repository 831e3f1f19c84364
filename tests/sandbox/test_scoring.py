"""Scoring one by one and in batches, and recovery from failed children, zygotes and workers."""

import http
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from leaderboard.sandbox import Outcome, Request, Sandbox, SandboxError, SandboxSettings
from leaderboard.sandbox.host import scoring as module
from leaderboard.sandbox.host.fork_servers import PROJECT
from leaderboard.sandbox.host.pipes import Child
from leaderboard.sandbox.jobs import Job
from tests.processes import eventually
from tests.sandbox.cases import LONG_MS
from tests.sandbox.conftest import PLUGINS, SETTINGS
from tests.sandbox.watching import failure_of, processes, score

COUNTS, GOOD = "hostile.good:Counts", "hostile.good:Good"


def batch(
    sandbox: Sandbox, entrypoint: str, ratings: list[int], timeout_ms: int = LONG_MS
) -> list[Outcome]:
    requests = [Request({"rating": rating}, {}) for rating in ratings]
    return list(sandbox.score(entrypoint, {}, requests, timeout_ms=timeout_ms, fresh=False))


def values(outcomes: list[Outcome]) -> list[float | None]:
    return [outcome.value for outcome in outcomes]


def codes(outcomes: list[Outcome]) -> list[str]:
    return [outcome.error.code if outcome.error else "" for outcome in outcomes]


def test_each_request_may_have_a_fresh_child(sandbox: Sandbox) -> None:
    requests = [Request({}, {})] * 3
    outcomes = list(sandbox.score(COUNTS, {}, requests, timeout_ms=LONG_MS, fresh=True))
    assert values(outcomes) == [1, 1, 1]


def test_one_child_scores_a_batch_and_the_next(sandbox: Sandbox) -> None:
    assert values(batch(sandbox, COUNTS, [0] * 250)) == list(range(1, 251))
    assert values(batch(sandbox, COUNTS, [0] * 2)) == [251, 252]
    assert score(sandbox, COUNTS).value == 1
    assert values(batch(sandbox, COUNTS, [0])) == [1], "a fresh child ends the one of batches"


def test_another_config_is_another_child(sandbox: Sandbox) -> None:
    request = [Request({}, {})]
    first = list(sandbox.score(COUNTS, {"a": 1}, request, timeout_ms=LONG_MS, fresh=False))
    second = list(sandbox.score(COUNTS, {"a": 2}, request, timeout_ms=LONG_MS, fresh=False))
    assert values(first + second) == [1, 1]


def test_an_old_batch_child_is_replaced(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    assert values(batch(sandbox, COUNTS, [0])) == [1]
    monkeypatch.setattr(module, "WARM_SECONDS", 0.0)
    assert values(batch(sandbox, COUNTS, [0])) == [1]


def test_large_requests_and_answers_arrive_complete(sandbox: Sandbox) -> None:
    large = {"values": {str(n): "x" * 1000 for n in range(250)}}
    requests = [Request(large, {"number": n}) for n in range(30)]
    lengths = sandbox.score(
        "hostile.batches:Measures", {}, requests, timeout_ms=LONG_MS, fresh=False
    )
    assert [(length.value, len(str((length.details or {})["text"]))) for length in lengths] == [
        (250.0, 60_000)
    ] * 30


def test_a_timeout_in_a_batch_costs_one_attempt(sandbox: Sandbox) -> None:
    outcomes = batch(sandbox, "hostile.batches:HangsAtSeven", [1, 7, 2, 7, 3], timeout_ms=5000)
    assert codes(outcomes) == ["", "timeout", "", "timeout", ""]
    assert [outcomes[n].value for n in (0, 2, 4)] == [1, 2, 3]


def test_a_crash_in_a_batch_costs_one_attempt(sandbox: Sandbox) -> None:
    outcomes = batch(sandbox, "hostile.batches:DiesAtSeven", [7, 1, 7, 7, 2])
    assert codes(outcomes) == ["crashed", "", "crashed", "crashed", ""]
    assert processes(sandbox), "the last one is alive"


def test_an_exception_in_a_batch_keeps_the_child(sandbox: Sandbox) -> None:
    outcomes = batch(sandbox, "hostile.batches:RaisesAtSeven", [1, 7, 2])
    assert codes(outcomes) == ["", "exception", ""]
    assert [outcome.value for outcome in outcomes] == [1, None, 3], "it counts its calls"


def test_prints_in_a_batch_stay_with_their_attempt(sandbox: Sandbox) -> None:
    outcomes = batch(sandbox, "hostile.good:Prints", [1, 2, 3])
    assert [outcome.output for outcome in outcomes] == [f"out {n}\nerr {n}\n" for n in (1, 2, 3)]
    assert score(sandbox, "hostile.good:Prints").output == "out 8\nerr 8\n"


def test_an_answer_before_its_request_ends_the_child(sandbox: Sandbox) -> None:
    """In a batch, a scorer may answer a request that it would get anyway, and no more."""
    forger = "hostile.vandals:ForgesAnswers"
    assert score(sandbox, forger).value == 1000000.0
    outcomes = batch(sandbox, forger, [1, 2, 3])
    assert values(outcomes)[:2] == [1000000.0, 1000000.0]
    assert score(sandbox, GOOD).value == 80


def test_an_abandoned_batch_leaves_no_process(sandbox: Sandbox) -> None:
    outcomes = sandbox.score(
        GOOD, {}, [Request({"rating": 1}, {})] * 50, timeout_ms=LONG_MS, fresh=False
    )
    assert next(outcomes).value == 10
    outcomes.close()  # type: ignore[attr-defined]
    assert len(processes(sandbox)) <= 1


@pytest.mark.skipif(sys.platform != "linux", reason="counts processes in /proc")
def test_an_idle_child_is_ended_and_replaced(sandbox: Sandbox) -> None:
    assert values(batch(sandbox, COUNTS, [0, 0])) == [1, 2]
    eventually(lambda: len(processes(sandbox)) <= 1)
    assert values(batch(sandbox, COUNTS, [0, 0])) == [1, 2]


def test_a_slow_reader_loses_no_outcome(sandbox: Sandbox) -> None:
    requests = [Request({"rating": n}, {}) for n in range(5)]
    batch(sandbox, GOOD, [0])  # starts the child, which may take long on a busy machine
    outcomes = sandbox.score(GOOD, {}, requests, timeout_ms=5000, fresh=False)
    collected = [next(outcomes)]
    time.sleep(5.5)
    collected += outcomes
    assert values(collected) == [0, 10, 20, 30, 40]


def test_outcomes_of_a_call_are_read_before_the_next_call(sandbox: Sandbox) -> None:
    requests = [Request({"rating": 1}, {})] * 2
    for _ in sandbox.score(GOOD, {}, requests, timeout_ms=LONG_MS, fresh=True):
        with pytest.raises(RuntimeError, match="still reading"):
            sandbox.describe(GOOD)


def test_many_threads_take_turns(sandbox: Sandbox) -> None:
    scores: list[float | None] = []
    threads = [
        threading.Thread(target=lambda: scores.append(score(sandbox, GOOD).value)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scores == [80.0] * 8


def test_a_thread_that_started_the_zygote_may_end() -> None:
    with Sandbox(SETTINGS) as sandbox:
        thread = threading.Thread(target=lambda: score(sandbox, GOOD))
        thread.start()
        thread.join()
        assert sandbox._zygotes.current is not None
        first = sandbox._zygotes.current.pid
        assert score(sandbox, GOOD).value == 80
        assert sandbox._zygotes.current.pid == first


def test_a_forked_process_has_a_zygote_of_its_own(sandbox: Sandbox) -> None:
    assert score(sandbox, GOOD).value == 80
    pid = os.fork()
    if pid == 0:
        right = score(sandbox, GOOD).value == 80
        sandbox.close()
        os._exit(0 if right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert score(sandbox, GOOD).value == 80


def test_a_process_forked_during_a_call_can_score(sandbox: Sandbox) -> None:
    outcomes = sandbox.score(
        GOOD, {}, [Request({"rating": 8}, {})] * 2, timeout_ms=LONG_MS, fresh=True
    )
    assert next(outcomes).value == 80
    pid = os.fork()
    if pid == 0:
        signal.alarm(120)
        right = score(sandbox, GOOD).value == 80
        sandbox.close()
        os._exit(0 if right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert next(outcomes).value == 80


def test_a_zygote_that_died_is_replaced(sandbox: Sandbox) -> None:
    assert score(sandbox, GOOD).value == 80
    assert sandbox._zygotes.current is not None
    for pid in (sandbox._zygotes.current.pid, *processes(sandbox)):
        if is_alive(pid):
            os.kill(pid, signal.SIGKILL)
        assert score(sandbox, GOOD).value == 80


def test_a_zygote_that_dies_twice_is_a_crash(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attempt in progress is tried once more, then given up; the next one is scored."""
    started = []
    spawn = Sandbox._spawn

    def spawn_and_kill(
        self: Sandbox, job: Job, cpu_seconds: int, program: str | None = None, **more: Any
    ) -> Child:
        child = spawn(self, job, cpu_seconds, program, **more)
        started.append(child)
        assert self._zygotes.current is not None
        self._zygotes.current.kill()
        return child

    with monkeypatch.context() as patched:
        patched.setattr(Sandbox, "_spawn", spawn_and_kill)
        assert failure_of(sandbox, "hostile.endless:Sleeps").code == "crashed"
    assert len(started) == 2
    assert score(sandbox, GOOD).value == 80


WORKER = """
import sys
from leaderboard.sandbox import Request, Sandbox, SandboxSettings
sandbox = Sandbox(SandboxSettings(packages=("hostile",), path=(sys.argv[1],)))
requests = [Request({"rating": 1}, {})]
list(sandbox.score("hostile.good:Good", {}, requests, timeout_ms=60_000, fresh=True))
print(sandbox._zygotes.current.pid, flush=True)
list(sandbox.score("hostile.endless:Loop", {}, requests, timeout_ms=600_000, fresh=True))
"""


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_nothing_outlives_a_killed_worker() -> None:
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, PLUGINS], cwd=PROJECT, stdout=subprocess.PIPE, text=True
    )
    with worker:
        assert worker.stdout is not None
        zygote = int(worker.stdout.readline())
        time.sleep(0.2)
        worker.kill()
    eventually(lambda: not is_alive(zygote))


def test_a_closed_sandbox_can_be_used_again() -> None:
    sandbox = Sandbox(SETTINGS)
    assert score(sandbox, GOOD).value == 80
    sandbox.close()
    assert sandbox._zygotes.current is None
    assert score(sandbox, GOOD).value == 80
    sandbox.close()
    sandbox.close()


def test_messages_for_participants_hold_no_secrets(sandbox: Sandbox) -> None:
    error = failure_of(sandbox, "hostile.deaths:Raises")
    assert "FileNotFoundError" in error.message
    assert "hunter2" not in error.message
    assert "hunter2" in error.detail
    assert "in score" in error.detail
    assert "leaderboard/sandbox" not in error.detail


def test_the_environment_holds_no_secret(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox.close()
    monkeypatch.setenv("DATABASE_PASSWORD", "hunter2")
    variables = score(sandbox, "hostile.intruders:ReadsEnvironment").details
    assert variables is not None
    assert set(variables) <= {
        *("LANG", "LC_ALL", "PATH", "HOME", "TMPDIR", "MALLOC_ARENA_MAX"),
        *("HF_HUB_OFFLINE", "TOKENIZERS_PARALLELISM", "JOBLIB_MULTIPROCESSING"),
        *(name for name in variables if name.endswith("_NUM_THREADS")),
    }


def test_a_scorer_gets_plain_values(sandbox: Sandbox) -> None:
    request = Request({"succeeded": None, "values": {"a": [1, 2.5, "é"]}}, {"end_user_id": None})
    (outcome,) = sandbox.score(
        "hostile.good:Echoes", {"deep": {"b": []}}, [request], timeout_ms=LONG_MS, fresh=True
    )
    assert outcome.details == {
        "metrics": dict(request.metrics),
        "config": {"deep": {"b": []}},
        "ctx": dict(request.ctx),
    }


class Slug(str):
    """A `str` subclass, as frameworks return them."""


def test_json_like_values_are_accepted_as_json(sandbox: Sandbox) -> None:
    request = Request({"rating": http.HTTPStatus.OK, "values": {"a": (1, 2)}}, {"id": Slug("x")})
    (outcome,) = sandbox.score("hostile.good:Echoes", {}, [request], timeout_ms=LONG_MS, fresh=True)
    assert outcome.details == {
        "metrics": {"rating": 200, "values": {"a": [1, 2]}},
        "config": {},
        "ctx": {"id": "x"},
    }


def test_a_forbidden_name_starts_no_process() -> None:
    for name in ("os:Thing", "leaderboard.models:Attempt", "hostile.good", "a:b:c", ""):
        with Sandbox(SETTINGS) as sandbox:
            assert failure_of(sandbox, name).code == "load_error", name
            assert sandbox._zygotes.current is None, name


def test_an_edited_scorer_is_used_immediately(tmp_path: Path) -> None:
    package = tmp_path / "edited"
    package.mkdir()
    text = "class S:\n    def score(self, m, c, x):\n        return {'score': %d}\n"
    with Sandbox(SandboxSettings(packages=("edited",), path=(str(tmp_path),))) as sandbox:
        for number in (1, 22):
            (package / "it.py").write_text(text % number)
            assert score(sandbox, "edited.it:S").value == number


def test_the_application_folder_is_refused_as_a_plugin_folder() -> None:
    for folder in (PROJECT, "/", f"{PROJECT}/tests/.."):
        sandbox = Sandbox(SandboxSettings(path=(folder,)))
        with sandbox, pytest.raises(SandboxError, match="application itself"):
            score(sandbox, "scorers.weighted:WeightedScorer")


def test_a_missing_plugin_folder_is_named() -> None:
    sandbox = Sandbox(SandboxSettings(path=("/nowhere/plugins",)))
    with sandbox, pytest.raises(SandboxError, match="/nowhere/plugins"):
        score(sandbox, "scorers.weighted:WeightedScorer")


@pytest.mark.skipif(sys.platform != "linux", reason="counts descriptors in /proc")
def test_all_descriptors_are_closed(sandbox: Sandbox) -> None:
    def count() -> int:
        return len(os.listdir("/proc/self/fd"))

    batch(sandbox, GOOD, [1])
    before = count()
    batch(sandbox, "hostile.batches:DiesAtSeven", [7, 1, 7])
    for _ in range(3):
        assert sandbox._zygotes.current is not None
        sandbox._zygotes.current.kill()
        assert batch(sandbox, GOOD, [8])[0].value == 80
    assert failure_of(sandbox, "hostile.endless:Loop", timeout_ms=100)
    batch(sandbox, GOOD, [1])
    assert count() == before
