"""A text metric computed over blocks, in threads of this process and without a database."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from leaderboard.rules.rewards.instances import Instance
from leaderboard.rules.rewards.text_values import Piece, RunningScore
from leaderboard.sandbox import Failure, Sandbox, SandboxError
from leaderboard.sandbox.host.text_client import TextMetricClient
from leaderboard.services.evaluation import metric_threads, runs
from leaderboard.services.evaluation.runs import Scored, Step, steps
from leaderboard.services.plugins.sandboxes import text_sandboxes
from leaderboard.services.plugins.text_metrics import find_text_metric
from tests.processes import eventually

pytestmark = pytest.mark.usefixtures("in_house")

BLOCKS = [
    (number, [Instance(f"{number}-{at}", "", ("one two",), ("three",)) for at in range(3)])
    for number in range(8)
]


@pytest.fixture(autouse=True)
def _two_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)


def run(
    name: str, parameters: dict[str, Any] | None = None, blocks: Any = BLOCKS, **options: Any
) -> list[Step]:
    metric = find_text_metric(name)
    tally = options.pop("tally", RunningScore(averaged=metric.averaged))
    plain = {"count": len(BLOCKS), "timeout_ms": 60_000}
    return list(steps(metric, parameters or {}, blocks, tally, **plain | options))


def pieces(run_steps: list[Step]) -> list[Piece]:
    ends = Scored, Failure
    return [piece for step in run_steps if not isinstance(step, ends) for piece in step]


def test_each_block_gives_results_once_and_the_score_comes_last() -> None:
    run_steps = run("words")
    assert isinstance(run_steps[-1], Scored)
    assert run_steps[-1].score == {"words": 2.0}
    assert sorted(piece.number for piece in pieces(run_steps)) == list(range(8))
    assert {len(piece.results or ()) for piece in pieces(run_steps)} == {3}


def test_a_metric_that_needs_all_instances_gets_one_block() -> None:
    run_steps = run("longest")
    assert isinstance(run_steps[-1], Scored)
    assert run_steps[-1].score == {"words": 2.0, "of": 24.0, "how": "split"}
    assert [piece.number for piece in pieces(run_steps)] == list(range(8))
    assert sum(piece.part.seconds for piece in pieces(run_steps)) == run_steps[-1].seconds


def test_blocks_are_read_lazily() -> None:
    read: list[int] = []

    def reading() -> Iterator[Any]:
        for number, block in BLOCKS:
            read.append(number)
            yield number, block

    metric = find_text_metric("slow")
    run_steps = steps(
        metric, {}, reading(), RunningScore(averaged=True), count=len(BLOCKS), timeout_ms=60_000
    )
    with closing(run_steps):
        next(run_steps)
        assert len(read) <= 3


def test_parallel_runs_cause_no_deadlock() -> None:
    with ThreadPoolExecutor(4) as pool:
        ends = list(pool.map(lambda _: run("slow", {"seconds": 0.02})[-1], range(4)))
    assert [isinstance(end, Scored) for end in ends] == [True] * 4


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Return the set of threads in which metrics were computed."""
    thread_ids: set[int] = set()
    original = runs._Evaluate.answer

    def looking(question: Any, line: Any) -> Any:
        thread_ids.add(threading.get_ident())
        return original(question, line)

    monkeypatch.setattr(runs._Evaluate, "answer", looking)
    return thread_ids


def test_a_slow_metric_is_computed_in_several_sandboxes(threads: set[int]) -> None:
    run("slow", {"seconds": 0.3})
    assert len(threads) == 2


def test_a_quick_metric_is_computed_in_one_sandbox(
    threads: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metric_threads, "TICK_SECONDS", 60)
    monkeypatch.setattr(runs, "SECONDS_WORTH_MORE_THREADS", 10)
    run("words")
    assert len(threads) == 1


@pytest.mark.parametrize(("quick", "ahead"), [(60.0, True), (0.0, False)])
def test_a_quick_child_is_sent_a_block_before_it_has_answered(
    quick: float, ahead: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metric_threads, "QUICK", quick)
    monkeypatch.setattr(runs, "MAX_THREADS", 1)
    waiting: list[int] = []
    send = TextMetricClient.send

    def sending(line: TextMetricClient, *blocks: Any) -> None:
        waiting.append(len(line._requests))
        send(line, *blocks)

    monkeypatch.setattr(TextMetricClient, "send", sending)
    run_steps = run("words")
    assert sorted(piece.number for piece in pieces(run_steps)) == list(range(8))
    assert set(waiting) <= {0, 1}
    assert any(waiting) == ahead


def test_other_sandboxes_start_during_a_long_first_block(
    threads: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metric_threads, "TICK_SECONDS", 0.01)
    run("slow", {"seconds": 1.0}, blocks=BLOCKS[:2], count=2)
    assert len(threads) == 2


def test_a_metric_may_refuse_parallel_blocks(threads: set[int]) -> None:
    run("in_a_row", {"seconds": 0.1})
    assert len(threads) == 1


def test_a_stopped_run_ends_after_the_blocks_in_progress() -> None:
    tally = RunningScore(averaged=True)
    first = run("words", tally=tally, stop=lambda: len(tally) > 0)
    assert not isinstance(first[-1], Scored)
    assert 0 < len(tally) < 8
    uncomputed = [(number, block) for number, block in BLOCKS if number not in tally]
    again = run("words", blocks=uncomputed, tally=tally)
    assert len(pieces(again)) == len(uncomputed)
    assert isinstance(again[-1], Scored)
    assert again[-1].score == {"words": 2.0}


def test_stored_results_are_only_combined() -> None:
    tally = RunningScore(averaged=False)
    run("twice", tally=tally)
    (end,) = (step for step in run("twice", blocks=[], tally=tally) if step)
    assert isinstance(end, Scored)
    assert end.score == {"most": 2.0, "least": 2.0}


def test_the_size_of_statistics_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    size = len("[2.0,2.0,2.0]")
    monkeypatch.setattr(runs, "MAX_STATISTICS_BYTES", len(BLOCKS) * size)
    tally = RunningScore(averaged=False)
    assert isinstance(run("twice", tally=tally)[-1], Scored)
    monkeypatch.setattr(runs, "MAX_STATISTICS_BYTES", len(BLOCKS) * size - 1)
    (failure,) = run("twice", blocks=BLOCKS[:1], count=9, tally=tally)[-1:]
    assert isinstance(failure, Failure)
    assert failure.code == "invalid_result"
    assert "statistics of all instances" in failure.message


def test_the_limit_is_for_all_blocks_together() -> None:
    run_steps = run("slow", {"seconds": 0.4}, timeout_ms=1000)
    assert isinstance(run_steps[-1], Failure)
    assert run_steps[-1].code == "timeout"
    assert "1 s for all instances" in run_steps[-1].message
    assert len(pieces(run_steps)) < 8


def test_a_metric_that_hangs_does_not_block_the_next_one() -> None:
    run_steps = run("hangs", timeout_ms=300)
    assert isinstance(run_steps[-1], Failure)
    assert isinstance(run("words")[-1], Scored)


def test_a_failed_run_interrupts_its_other_blocks() -> None:
    blocks = [
        (number, [Instance(number, "", (text,), ("x",))])
        for number, text in enumerate(("wait", "secret"))
    ]
    run_steps = run("moody", blocks=blocks, count=2, timeout_ms=600_000)
    assert isinstance(run_steps[-1], Failure)
    assert run_steps[-1].code == "exception"
    eventually(lambda: not any(text_sandbox._lock.locked() for text_sandbox in text_sandboxes(2)))


def test_a_broken_sandbox_raises_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = find_text_metric("words")

    def not_here(*args: Any) -> Any:
        raise SandboxError("no")

    monkeypatch.setattr(Sandbox, "evaluating", not_here)
    with pytest.raises(SandboxError):
        list(steps(metric, {}, BLOCKS, RunningScore(averaged=True), count=8, timeout_ms=1000))
