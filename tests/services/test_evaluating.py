"""Attempts that bring outputs: evaluated block by block, and never twice or by halves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.db.models.functions import Now
from django.test import override_settings

from leaderboard.models import Attempt, Challenge, MetricRun, ResultBlock, Score, Tenant, User
from leaderboard.rules.documents import parse_document, parse_outputs
from leaderboard.rules.rewards import Sample
from leaderboard.sandbox import Sandbox, SandboxError
from leaderboard.services import evaluating, scoring, text_runs
from leaderboard.services.attempts import retry_attempt, withdraw_attempt
from leaderboard.services.board import columns_of, page_after
from leaderboard.services.claims import MAX_DELIVERIES, claim
from leaderboard.services.output_documents import log_of, output_document
from leaderboard.services.sandboxes import close_sandboxes
from leaderboard.services.standings import verify_standings
from leaderboard.services.submitting import NewAttempt, submit_attempt
from leaderboard.services.sweeping import RUNG, sweep
from tests.services.house import house
from tests.services.text import document, shared_task, translation

Bring = Callable[..., Attempt]
Make = Callable[..., Challenge]

NINE = [f"{'word ' * number}end" for number in range(9)]
"""Outputs of one to nine words."""


@pytest.fixture(scope="module", autouse=True)
def _in_house() -> Iterator[None]:
    with house():
        yield


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.rules.instances.ROWS_PER_BLOCK", 2)


@pytest.fixture
def no_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn is over with the first block."""
    monkeypatch.setattr(evaluating.Turn, "is_over", lambda turn: turn._first is not None)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the blocks that metrics were asked about."""
    numbers: list[int] = []
    found = text_runs._Run._evaluated

    def looking(run: Any, line: Any, blocks: Any) -> Any:
        numbers.extend(number for number, _ in blocks)
        return found(run, line, blocks)

    monkeypatch.setattr(text_runs._Run, "_evaluated", looking)
    return numbers


@pytest.fixture
def bring(alice: User) -> Bring:
    def submitted(challenge: Challenge, participant: str = "atlas", **evidence: Any) -> Attempt:
        new = NewAttempt(participant=participant, **evidence)
        return submit_attempt(challenge=challenge, user=alice, new=new)[0]

    return submitted


@pytest.fixture
def make(tenant: Tenant, alice: User) -> Make:
    def made(*metrics: Any, **fields: Any) -> Challenge:
        key = metrics[0] if isinstance(metrics[0], str) else metrics[0]["id"]
        plain = {"text_metrics": list(metrics), "rank_by": [{"key": key.upper()}]}
        return translation(tenant, alice, **plain | fields)

    return made


def nine(*metrics: Any) -> Any:
    rows = [
        {"id": at, "actual-output": text, "expected-output": "a word"}
        for at, text in enumerate(NINE)
    ]
    return parse_document({"instances": rows, "metrics": list(metrics)})


def read(attempt: Attempt) -> Attempt:
    return Attempt.objects.select_related("challenge", "scoring_config").get(pk=attempt.pk)


def scored(attempt: Attempt) -> Score:
    """Score it, in as many turns as that takes."""
    for _ in range(50):
        scoring.score_waiting()
        if read(attempt).status == "scored":
            break
    return Score.objects.select_related("config").get(attempt=attempt)


def documents(attempt: Attempt) -> tuple[list[dict[str, Any]], list[str]]:
    """The output document without what takes its time, and the log."""
    score = Score.objects.select_related("config").get(attempt=attempt)
    output = output_document(read(attempt), score)
    for entry in output:
        assert entry.pop("elapsed time") >= 0
    return output, "".join(log_of(read(attempt), score)).splitlines()


def test_a_document_is_evaluated_and_ranked(make: Make, bring: Bring) -> None:
    challenge = make("exact_match", "bleu_nltk")
    attempt = bring(challenge, evaluation=document())
    values = scored(attempt).metric_values
    assert set(values) == {"EXACT_MATCH", "BLEU_NLTK", "BLEU_NLTK:corpus_bleu"}
    exact = values["EXACT_MATCH"]
    assert exact["value"] == pytest.approx(2 / 3)
    assert (exact["defined"], exact["total"], exact["failed"]) == (3, 3, 1)
    assert exact["method"] == "wilson"
    assert values["BLEU_NLTK"]["interval"] is not None, "it is the mean of the instances'"
    assert values["BLEU_NLTK:corpus_bleu"]["interval"] is None
    challenge.refresh_from_db()
    (row,) = page_after(challenge).rows
    assert (row.rank, row.values["EXACT_MATCH"]) == (1, exact["value"])
    assert row.cells["EXACT_MATCH"]["defined"] == 3
    assert [column.key for column in columns_of(challenge)[:3]] == [
        "EXACT_MATCH",
        "BLEU_NLTK",
        "elapsed_ms",
    ]
    assert verify_standings(challenge) == []


def test_outputs_are_compared_with_what_is_held(tenant: Tenant, alice: User, bring: Bring) -> None:
    challenge = shared_task(tenant, alice)
    attempt = bring(challenge, outputs=parse_outputs({"3": "the cat sleeps", "1": "hello"}))
    assert scored(attempt).metric_values["EXACT_MATCH"]["value"] == pytest.approx(2 / 3)
    output, log = documents(attempt)
    assert output == [
        {"id": "EXACT_MATCH", "parameters": {}, "score": {"exact_match": pytest.approx(2 / 3)}}
    ]
    assert [line.partition(', "id"')[0] for line in log] == [
        '{"instance_id": "1"',
        '{"instance_id": "2"',
        '{"instance_id": "3"',
    ]


@pytest.mark.usefixtures("small_blocks")
def test_every_kind_of_metric_comes_out_the_same_in_blocks(make: Make, bring: Bring) -> None:
    challenge = make("words", "longest", "twice")
    attempt = bring(challenge, evaluation=nine())
    values = scored(attempt).metric_values
    assert {key: value["value"] for key, value in values.items()} == {
        "WORDS": 5.0,
        "LONGEST": 9.0,
        "LONGEST:of": 9.0,
        "TWICE": 9.0,
        "TWICE:least": 1.0,
    }
    assert values["WORDS"]["method"] == "t"
    assert values["LONGEST"]["interval"] is None
    output, log = documents(attempt)
    assert [list(entry["score"]) for entry in output] == [
        ["words"],
        ["words", "of", "how"],
        ["most", "least"],
    ]
    assert len(log) == 18, "a metric without results for instances has no lines"
    assert '"result": {"most": 1.0, "half": 0.5}, "warning": "the first of a block"' in log[9]
    challenge.refresh_from_db()
    directions = {column.key: column.direction for column in columns_of(challenge)}
    assert directions["LONGEST"] == "asc"
    assert directions["TWICE"] == "desc"
    assert "TWICE:least" not in directions


@pytest.mark.usefixtures("small_blocks")
def test_a_metric_that_hangs_or_fails_leaves_the_others(make: Make, bring: Bring) -> None:
    challenge = make("words", "hangs", "fails", text_timeout_ms=1500)
    brought = nine()
    brought.instances[4] = brought.instances[4]._replace(outputs=("secret",))
    attempt = bring(challenge, evaluation=brought)
    values = scored(attempt).metric_values
    assert values["WORDS"]["value"] == pytest.approx(41 / 9)
    assert values["HANGS"]["error"]["code"] == "timeout"
    assert "1.5 s" in values["HANGS"]["error"]["message"]
    assert values["FAILS"]["error"] == {
        "code": "exception",
        "message": "The text metric stopped with ValueError.",
    }
    output, log = documents(attempt)
    assert [(entry["score"], "error" in entry) for entry in output[1:]] == [(None, True)] * 2
    assert [line for line in log if '"error"' in line] == log[-2:]
    (row,) = page_after(challenge).rows
    assert row.cells["HANGS"]["reason"] == "failed"
    assert not ResultBlock.objects.exclude(run__key="WORDS").exists()


@pytest.mark.usefixtures("small_blocks", "no_turns")
def test_a_turn_ends_and_goes_on_where_it_stopped(
    make: Make, bring: Bring, asked: list[int], bells: list[tuple[Any, ...]]
) -> None:
    challenge = make("words", "twice")
    attempt = bring(challenge, evaluation=nine())
    bells.clear()
    assert scoring.score_attempt(attempt.pk)
    waiting = read(attempt)
    assert (waiting.status, waiting.lease_token, waiting.deliveries) == ("scoring", None, 0)
    assert bells == [("score_waiting",)]
    assert 0 < len(asked) < 10
    assert scored(attempt).metric_values["WORDS"]["value"] == 5.0
    assert sorted(asked) == sorted([*range(5), *range(5)]), "no block is computed twice"


@pytest.mark.usefixtures("small_blocks", "no_turns")
def test_the_bell_of_an_evaluation_that_was_let_go_may_be_lost(
    make: Make, bring: Bring, bells: list[tuple[Any, ...]]
) -> None:
    attempt = bring(make("words"), evaluation=nine())
    scoring.score_attempt(attempt.pk)
    bells.clear()
    assert sweep() == 0
    Attempt.objects.filter(pk=attempt.pk).update(lease_until=Now() - RUNG)
    assert sweep() == 1
    assert bells == [("score_waiting",)]


class Killed(BaseException):
    """The end of a worker, as far as one can be had in a test."""


@pytest.mark.usefixtures("small_blocks")
def test_a_worker_that_is_lost_costs_what_was_not_stored(
    make: Make, bring: Bring, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = bring(make("words"), evaluation=nine())
    monkeypatch.setattr(evaluating, "SECONDS_PER_STORE", 0.0)
    renew = evaluating.Turn.renew

    def dying(turn: Any, *, stored: bool = False) -> None:
        if ResultBlock.objects.count() >= 2:
            raise Killed
        renew(turn, stored=stored)

    with monkeypatch.context() as patched:
        patched.setattr(evaluating.Turn, "renew", dying)
        with pytest.raises(Killed):
            scoring.score_attempt(attempt.pk)
    Attempt.objects.filter(pk=attempt.pk).update(lease_until=Now() - timedelta(seconds=1))
    stored = set(ResultBlock.objects.values_list("number", flat=True))
    assert len(stored) == 2
    asked.clear()
    assert scored(attempt).metric_values["WORDS"]["value"] == 5.0
    assert set(asked) == set(range(5)) - stored


@pytest.mark.usefixtures("small_blocks")
def test_who_has_stored_something_has_lost_no_worker(make: Make, bring: Bring) -> None:
    attempt = bring(make("words"), evaluation=nine())
    Attempt.objects.filter(pk=attempt.pk).update(deliveries=MAX_DELIVERIES - 1)
    held = claim(attempt.pk)
    assert held is not None
    assert held.keep(stored=False)
    assert read(attempt).deliveries == MAX_DELIVERIES
    assert held.keep(stored=True)
    assert read(attempt).deliveries == 1


@pytest.mark.usefixtures("small_blocks")
def test_a_lost_lease_stops_the_work(
    make: Make, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = bring(make("words"), evaluation=nine())
    slow = claim(attempt.pk)
    assert slow is not None
    Attempt.objects.filter(pk=attempt.pk).update(lease_until=Now() - timedelta(seconds=1))
    other = claim(attempt.pk)
    assert other is not None
    assert not scoring._score_claimed(slow)
    assert not ResultBlock.objects.exists()
    assert not Score.objects.exists()
    assert scoring._score_claimed(other)
    assert Score.objects.count() == 1


@pytest.mark.usefixtures("small_blocks")
def test_short_attempts_do_not_wait_for_long_ones(
    make: Make, bring: Bring, sprint: Challenge, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = bring(make({"id": "slow", "parameters": {"seconds": 0.5}}), evaluation=nine())
    beside: list[str] = []
    keep = evaluating._Store.now

    def looking(store: Any) -> None:
        keep(store)
        if not beside:
            new = NewAttempt(participant="boreas", metrics={"succeeded": True, "elapsed_ms": 5})
            short, _ = submit_attempt(challenge=sprint, user=alice, new=new)
            beside.append(str(short.pk))

    monkeypatch.setattr(evaluating._Store, "now", looking)
    monkeypatch.setattr(scoring, "SECONDS_MEANWHILE", 0.01)
    assert scoring.score_attempt(long.pk)
    first, second = Score.objects.order_by("created_at", "pk")
    assert (str(first.attempt_id), second.attempt_id) == (beside[0], long.pk)


@pytest.mark.usefixtures("small_blocks")
def test_the_oldest_of_the_long_ones_comes_first(make: Make, bring: Bring) -> None:
    challenge = make("words")
    first, second = (bring(challenge, name, evaluation=nine()) for name in ("atlas", "boreas"))
    Attempt.objects.filter(pk=first.pk).update(submitted_at=Now() - timedelta(minutes=1))
    assert list(scoring._long_ids(1)) == [first.pk]
    held = claim(second.pk)
    assert held is not None
    held.let_go()
    Attempt.objects.filter(pk=second.pk).update(lease_until=Now() - timedelta(seconds=1))
    assert list(scoring._long_ids(1)) == [second.pk], "what was begun is finished first"


def test_samples_and_instances_in_one_attempt(make: Make, bring: Bring) -> None:
    challenge = make("words", metrics=["mean"])
    samples = [Sample("task", 0, {"reward": 0.5})]
    attempt = bring(challenge, evaluation=nine(), samples=samples)
    values = scored(attempt).metric_values
    assert {key: value["value"] for key, value in values.items()} == {"WORDS": 5.0, "mean": 0.5}


def test_a_scorer_sees_the_values(tenant: Tenant, alice: User, bring: Bring) -> None:
    custom = {
        "scoring_strategy": "custom",
        "scoring_entrypoint": "house.scorers:Sums",
        "rank_by": [],
    }
    challenge = translation(tenant, alice, text_metrics=["words", "twice"], **custom)
    assert scored(bring(challenge, evaluation=nine())).value == 5.0 + 9.0 + 1.0


def test_a_metric_of_a_document_never_stands_for_the_challenge_s(make: Make, bring: Bring) -> None:
    challenge = make("words", "twice")
    own = {"id": "words", "parameters": {"times": 7.0}, "colour": "red"}
    same = {"id": "Words", "parameters": {"times": 1.0}}
    attempt = bring(challenge, evaluation=nine(own, same, {"id": "f1", "enable": False}, "LONGEST"))
    assert {key: value["value"] for key, value in scored(attempt).metric_values.items()} == {
        "WORDS": 5.0,
        "TWICE": 9.0,
        "TWICE:least": 1.0,
    }
    output, _ = documents(attempt)
    assert [(entry["id"], entry["parameters"]) for entry in output] == [
        ("words", {"times": 7.0}),
        ("Words", {"times": 1.0}),
        ("LONGEST", {}),
        ("TWICE", {}),
    ]
    assert output[0]["score"] == {"words": 35.0}
    keys = list(MetricRun.objects.values_list("key", flat=True))
    assert keys == ["WORDS-2", "WORDS", "LONGEST", "TWICE"]
    challenge.refresh_from_db()
    assert [column.key for column in columns_of(challenge)][:2] == ["WORDS", "TWICE"]


def test_the_metrics_of_a_document_are_enough(make: Make, bring: Bring) -> None:
    challenge = make("f1", text_metrics=[], scoring_strategy="first", rank_by=[])
    attempt = bring(challenge, evaluation=document("exact_match", "exact_match"))
    assert scored(attempt).metric_values == {}
    output, log = documents(attempt)
    assert [entry["id"] for entry in output] == ["exact_match", "exact_match"]
    assert len(log) == 6


@pytest.mark.usefixtures("small_blocks", "no_turns")
def test_withdrawn_while_it_is_evaluated(make: Make, bring: Bring) -> None:
    challenge = make("words")
    attempt = bring(challenge, evaluation=nine())
    scoring.score_attempt(attempt.pk)
    withdraw_attempt(attempt, reason="the wrong file")
    assert scored(attempt).metric_values["WORDS"]["value"] == 5.0
    challenge.refresh_from_db()
    (row,) = page_after(challenge).rows
    assert (row.rank, row.unranked) == (None, "withdrawn")
    assert verify_standings(challenge) == []


@pytest.mark.usefixtures("small_blocks", "no_turns")
def test_an_evaluation_that_lost_three_workers_says_so(make: Make, bring: Bring) -> None:
    attempt = bring(make("words", "twice"), evaluation=nine())
    scoring.score_attempt(attempt.pk)
    for _ in range(MAX_DELIVERIES):
        Attempt.objects.filter(pk=attempt.pk).update(lease_until=Now() - timedelta(seconds=1))
        assert claim(attempt.pk)
    Attempt.objects.filter(pk=attempt.pk).update(lease_until=Now() - timedelta(seconds=1))
    sweep()
    assert read(attempt).status == "failed"
    output, log = documents(attempt)
    assert [entry["error"]["code"] for entry in output] == ["worker_lost", "worker_lost"]
    assert len(log) == 2
    retry_attempt(attempt)
    assert scored(attempt).metric_values["WORDS"]["value"] == 5.0


def test_a_failed_metric_is_tried_again_with_its_attempt(make: Make, bring: Bring) -> None:
    attempt = bring(make("words", "fails"), evaluation=nine())
    scored(attempt)
    MetricRun.objects.filter(key="FAILS").update(error_code="timeout", score=None)
    evaluating.forget_failed_runs(attempt.pk)
    assert list(MetricRun.objects.values_list("key", flat=True)) == ["WORDS"]


def test_a_metric_that_is_gone_is_not_installed(make: Make, bring: Bring) -> None:
    challenge = make("exact_match", "words")
    attempt = bring(challenge, evaluation=nine())
    close_sandboxes()
    cache.clear()
    with override_settings(SCORER_PATH=[], SCORER_PACKAGES=["scorers"]):
        values = scored(attempt).metric_values
        close_sandboxes()
    assert values["EXACT_MATCH"]["value"] == 0.0
    assert values["WORDS"]["error"]["code"] == "not_installed"
    (row,) = page_after(challenge).rows
    assert row.cells["WORDS"]["reason"] == "not_installed"


def test_a_host_that_cannot_compute_gives_the_attempt_back(
    make: Make, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_here(*args: Any, **options: Any) -> Any:
        raise SandboxError("no")

    attempt = bring(make("exact_match"), evaluation=document())
    with monkeypatch.context() as patched:
        patched.setattr(Sandbox, "evaluating", not_here)
        with pytest.raises(SandboxError):
            scoring.score_attempt(attempt.pk)
    assert (read(attempt).status, read(attempt).deliveries) == ("queued", 0)
    assert scored(attempt).metric_values["EXACT_MATCH"]["value"] == pytest.approx(2 / 3)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("small_blocks")
def test_several_workers_evaluate_each_attempt_once(
    make: Make, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluating, "SECONDS_PER_TURN", 0.1)
    challenge = make("words", {"id": "slow", "parameters": {"seconds": 0.05}})
    attempts = [bring(challenge, f"p{at % 3}", evaluation=nine()) for at in range(6)]

    def work() -> None:
        try:
            for _ in range(60):
                scoring.score_waiting()
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        for each in [pool.submit(work) for _ in range(3)]:
            each.result()
    assert {read(attempt).status for attempt in attempts} == {"scored"}
    assert Score.objects.count() == 6
    assert ResultBlock.objects.count() == 6 * 2 * 5
    assert {each.metric_values["WORDS"]["value"] for each in Score.objects.all()} == {5.0}
    challenge.refresh_from_db()
    assert verify_standings(challenge) == []
