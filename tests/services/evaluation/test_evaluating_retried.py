"""Attempts with a failed text metric, tried again once the metric is repaired."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from leaderboard.models import MetricRun, Score, Tenant, User
from leaderboard.sandbox import Failure
from leaderboard.sandbox.host.text_client import TextMetricClient
from leaderboard.schemas.documents import parse_outputs
from leaderboard.services.attempts.retry import failed_scores, retry_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading.ranking import page_after
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.errors import ServiceError
from leaderboard.services.evaluation.output_documents import output_document
from leaderboard.services.evaluation.tables import result_keys
from leaderboard.services.scoring import rescoring, single
from leaderboard.services.scoring.rescore_results import store_accepted
from tests.services.conftest import Bring
from tests.services.evaluation.evaluating import Make, documents, nine, read, scored
from tests.services.evaluation.text import shared_task

pytestmark = pytest.mark.usefixtures("in_house")


@contextmanager
def broken(monkeypatch: pytest.MonkeyPatch, metric: str = "house.") -> Iterator[pytest.MonkeyPatch]:
    """Make all text metrics fail whose entry points contain this text."""
    failure = Failure("out_of_memory", "The text metric needed more memory than it is allowed.")
    original = TextMetricClient.receive

    def receive(line: TextMetricClient, *, timeout_ms: int) -> Any:
        is_broken = metric in line._job["entrypoint"]
        return failure if is_broken else original(line, timeout_ms=timeout_ms)

    with monkeypatch.context() as patched:
        patched.setattr(TextMetricClient, "receive", receive)
        yield patched


def test_a_metric_that_failed_is_computed_again(
    make: Make, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = make("words", "twice")
    with broken(monkeypatch):
        attempt = bring(challenge, evaluation=nine())
        value = scored(attempt).metric_values["WORDS"]
    assert (value["value"], value["error"]["code"]) == (None, "out_of_memory")
    retry_attempt(attempt)
    assert scored(attempt).metric_values["WORDS"]["value"] == 5.0
    assert not MetricRun.objects.exclude(error_code="").exists()
    challenge.refresh_from_db()
    (row,) = page_after(board_at(challenge)).rows
    assert (row.rank, row.values["WORDS"]) == (1, 5.0)
    assert verify_standings(challenge) == []


def test_instances_can_be_sorted_by_results_of_a_retry(
    make: Make, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read before the retry has cached that there are no results."""

    def keys() -> list[str]:
        runs = MetricRun.objects.filter(evaluation=attempt.pk)
        return [result_key.key for result_key in result_keys(runs, {})]

    with broken(monkeypatch):
        attempt = bring(make("words"), evaluation=nine())
        scored(attempt)
        assert keys() == []
    retry_attempt(attempt)
    scored(attempt)
    assert keys() == ["WORDS"]


def test_metrics_that_did_not_fail_are_not_computed_again(
    make: Make, bring: Bring, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = bring(make("words", "twice"), evaluation=nine())
    with broken(monkeypatch, ":Twice"):
        scored(attempt)
    asked.clear()
    retry_attempt(attempt)
    assert scored(attempt).metric_values["WORDS"]["value"] == 5.0
    assert 0 < len(asked) == len(set(asked)), "by the metric that failed"
    assert read(attempt).status == "scored"


def test_a_failed_metric_of_a_document_is_computed_again(
    make: Make, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no value on the board, but a score in the output document."""
    attempt = bring(make("words"), evaluation=nine("twice"))
    with broken(monkeypatch, ":Twice"):
        assert not scored(attempt).has_failed
    retry_attempt(attempt)
    scored(attempt)
    output, _ = documents(attempt)
    assert ["error" in entry for entry in output] == [False]


def test_a_metric_that_failed_on_an_unfinished_board_is_computed_again(
    make: Make, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the scoring of the challenge has changed once more since."""
    challenge = make("words")
    attempt = bring(challenge, evaluation=nine("words"))
    with broken(monkeypatch):
        scored(attempt)
        challenge = change_challenge(challenge, user=None, fields={"counting": "latest"})
        config, _ = rescoring.start_rescore(challenge)
        with monkeypatch.context() as patched:
            patched.setattr(rescoring, "_switch", lambda config: False)
            rescoring.work_on(config.pk)
    assert {score.has_failed for score in Score.objects.all()} == {True}
    change_challenge(challenge, user=None, fields={"counting": "best"})
    retry_attempt(attempt)
    single.score_waiting()
    assert rescoring.finish_if_done(config.pk)
    score = Score.objects.select_related("config").get(attempt=attempt, config=config)
    assert score.metric_values["WORDS"]["value"] == 5.0
    (entry,) = output_document(read(attempt), score)
    assert entry["score"] == {"words": 5.0}


@pytest.mark.parametrize("is_done", [False, True], ids=["queued", "done"])
def test_a_rescore_stores_nothing_for_an_attempt_that_is_being_retried(
    make: Make, bring: Bring, monkeypatch: pytest.MonkeyPatch, is_done: bool
) -> None:
    challenge = make("words")
    attempt = bring(challenge, evaluation=nine("words"))
    store = store_accepted

    def late(*args: Any) -> None:
        working.undo()
        monkeypatch.setattr(rescoring, "store_accepted", store)
        retry_attempt(attempt)
        if is_done:
            single.score_waiting()
        store(*args)

    with broken(monkeypatch) as working:
        scored(attempt)
        config, _ = rescoring.start_rescore(challenge)
        monkeypatch.setattr(rescoring, "store_accepted", late)
        rescoring.work_on(config.pk)
    single.score_waiting()
    rescoring.finish_if_done(config.pk)
    challenge.refresh_from_db()
    assert challenge.shown == config
    score = Score.objects.select_related("config").get(attempt=attempt, config=config)
    assert score.metric_values["WORDS"]["value"] == 5.0
    assert output_document(read(attempt), score)[0]["score"] == {"words": 5.0}
    assert verify_standings(challenge) == []


def test_an_attempt_without_failures_cannot_be_retried(
    tenant: Tenant, alice: User, bring: Bring
) -> None:
    challenge = shared_task(tenant, alice)
    attempt = bring(challenge, outputs=parse_outputs({"1": "hello"}))
    scored(attempt)
    assert failed_scores(attempt, challenge) == []
    with pytest.raises(ServiceError, match="failed"):
        retry_attempt(attempt)
    assert read(attempt).status == "scored"


def test_a_failed_retry_can_be_retried(
    make: Make, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = bring(make("words"), evaluation=nine())
    with broken(monkeypatch):
        scored(attempt)
        for _ in range(2):
            retry_attempt(attempt)
            assert scored(attempt).metric_values["WORDS"]["error"]["code"] == "out_of_memory"
