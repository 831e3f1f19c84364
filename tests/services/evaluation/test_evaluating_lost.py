"""Workers that are lost while they evaluate: nothing is computed twice or stored in part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from leaderboard.models import Attempt, Evaluation, MetricRun, ResultBlock, Score
from leaderboard.sandbox import Failure, Sandbox, SandboxError
from leaderboard.services.attempts.retry import retry_attempt
from leaderboard.services.evaluation import evaluate, time_slices
from leaderboard.services.evaluation.instances import Instances
from leaderboard.services.evaluation.plans import runs_of
from leaderboard.services.evaluation.runs import steps
from leaderboard.services.scoring import single
from leaderboard.services.scoring.claims import MAX_DELIVERIES
from leaderboard.services.scoring.sweeper import sweep
from tests.services.conftest import Bring
from tests.services.evaluation.evaluating import Make, documents, nine, read, scored
from tests.services.evaluation.text import document
from tests.services.workers import claimed, lose_workers

pytestmark = pytest.mark.usefixtures("in_house")


class Killed(BaseException):
    """Imitates the death of a worker: no `except Exception` catches it."""


@pytest.mark.usefixtures("small_blocks")
def test_only_unstored_blocks_of_a_lost_worker_are_computed_again(
    make: Make, bring: Bring, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = bring(make("words"), evaluation=nine())
    monkeypatch.setattr(evaluate, "SECONDS_PER_STORE", 0.0)
    renew = time_slices.TimeSlice.renew

    def dying(time_slice: Any, *, stored: bool = False) -> None:
        if ResultBlock.objects.count() >= 2:
            raise Killed
        renew(time_slice, stored=stored)

    with monkeypatch.context() as patched:
        patched.setattr(time_slices.TimeSlice, "renew", dying)
        with pytest.raises(Killed):
            single.score_attempt(attempt.pk)
    lose_workers()
    stored = set(ResultBlock.objects.values_list("number", flat=True))
    assert len(stored) == 2
    asked.clear()
    assert scored(attempt).metric_values["WORDS"]["value"] == 5.0
    assert set(asked) == set(range(5)) - stored


@pytest.mark.usefixtures("small_blocks")
def test_storing_blocks_resets_the_count_of_lost_workers(make: Make, bring: Bring) -> None:
    attempt = bring(make("words"), evaluation=nine())
    Attempt.objects.filter(pk=attempt.pk).update(deliveries=MAX_DELIVERIES - 1)
    held = claimed(attempt)
    assert held.keep(stored=False)
    assert read(attempt).deliveries == MAX_DELIVERIES
    assert held.keep(stored=True)
    assert read(attempt).deliveries == 1


@pytest.mark.usefixtures("small_blocks")
def test_a_lost_lease_stops_the_work(
    make: Make, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = bring(make("words"), evaluation=nine())
    slow = claimed(attempt)
    lose_workers()
    other = claimed(attempt)
    assert not single._score_claimed(slow)
    assert not ResultBlock.objects.exists()
    assert not Score.objects.exists()
    assert single._score_claimed(other)
    assert Score.objects.count() == 1


@pytest.mark.usefixtures("small_blocks", "no_turns")
def test_an_evaluation_that_lost_three_workers_fails_with_that_error(
    make: Make, bring: Bring
) -> None:
    attempt = bring(make("words", "twice"), evaluation=nine("words", "twice"))
    single.score_attempt(attempt.pk)
    for _ in range(MAX_DELIVERIES):
        lose_workers()
        claimed(attempt)
    for _ in range(2):  # The first sweep gives a worker that is alive time to say so.
        lose_workers()
        sweep()
    assert read(attempt).status == "failed"
    output, log = documents(attempt)
    assert [entry["error"]["code"] for entry in output] == ["worker_lost", "worker_lost"]
    assert len(log) == 2
    retry_attempt(attempt)
    assert scored(attempt).metric_values["WORDS"]["value"] == 5.0


def test_a_host_that_cannot_compute_returns_the_attempt_to_the_queue(
    make: Make, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_here(*args: Any, **options: Any) -> Any:
        raise SandboxError("no")

    attempt = bring(make("exact_match"), evaluation=document())
    with monkeypatch.context() as patched:
        patched.setattr(Sandbox, "evaluating", not_here)
        with pytest.raises(SandboxError):
            single.score_attempt(attempt.pk)
    assert (read(attempt).status, read(attempt).deliveries) == ("queued", 0)
    assert scored(attempt).metric_values["EXACT_MATCH"]["value"] == pytest.approx(2 / 3)


def finished_meanwhile(attempt: Attempt, works: list[bool], patch: pytest.MonkeyPatch) -> MetricRun:
    """Return a run for which two workers hold valid leases, as a rescore and a claim may.

    works: whether the metric works for the worker that ends the run, and for the late one.
    """
    config = attempt.scoring_config
    (run,) = runs_of(Evaluation.objects.get(pk=attempt.pk), config)
    tally_of, order = evaluate._tally_of, iter(works)

    def work() -> None:
        time_slice = time_slices.TimeSlice(lambda stored: True)
        evaluate._work_on(run, Instances(attempt.pk, config, attempt.phase_id), config, time_slice)

    def slow(*args: Any) -> Any:
        tally = tally_of(*args)
        patched.setattr(evaluate, "_tally_of", tally_of)
        work()
        return tally

    def asked(*args: Any, **options: Any) -> Any:
        return steps(*args, **options) if next(order) else failing()

    def failing() -> Iterator[Any]:
        yield Failure("crashed", "The text metric ended its own process.")

    with patch.context() as patched:
        patched.setattr(evaluate, "_tally_of", slow)
        patched.setattr(evaluate, "steps", asked)
        work()
    return run


@pytest.mark.usefixtures("small_blocks")
def test_a_late_failure_does_not_replace_a_result(
    make: Make, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = bring(make("words"), evaluation=nine("words"))
    run = finished_meanwhile(attempt, [True, False], monkeypatch)
    assert (run.value or {})["WORDS"]["value"] == 5.0
    scored(attempt)
    output, log = documents(attempt)
    assert (output[0]["score"], len(log)) == ({"words": 5.0}, 9)


@pytest.mark.usefixtures("small_blocks")
def test_a_late_success_stores_no_results_beside_a_failure(
    make: Make, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = bring(make("words"), evaluation=nine())
    run = finished_meanwhile(attempt, [False, True], monkeypatch)
    assert (run.value or {})["WORDS"]["error"]["code"] == "crashed"
    assert not ResultBlock.objects.exists()
