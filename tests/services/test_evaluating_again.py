"""Rescoring attempts with outputs: other parameters, other references, and long ones in turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.models import Attempt, Challenge, MetricRun, RescoreSlice, Score, Tenant, User
from leaderboard.rules.documents import parse_document, parse_outputs
from leaderboard.services import evaluating, rescoring, scoring, slices
from leaderboard.services.challenges import change_challenge
from leaderboard.services.instances import Instances
from leaderboard.services.output_documents import output_document
from leaderboard.services.references import hold_references, release_references
from leaderboard.services.standings import verify_standings
from leaderboard.services.submitting import NewAttempt, submit_attempt
from tests.services.text import EXPECTED, document, instances, shared_task, translation

pytestmark = pytest.mark.usefixtures("in_house")

Bring = Callable[..., Attempt]


@pytest.fixture
def bring(alice: User) -> Bring:
    """Submit and score."""

    def submitted(challenge: Challenge, participant: str = "atlas", **evidence: Any) -> Attempt:
        new = NewAttempt(participant=participant, **evidence)
        attempt, _ = submit_attempt(challenge=challenge, user=alice, new=new)
        scoring.score_waiting()
        return attempt

    return submitted


def rescored(challenge: Challenge) -> None:
    config, _ = rescoring.start_rescore(challenge)
    for _ in range(20):
        rescoring.work_on(config.pk)
        challenge.refresh_from_db()
        if challenge.shown == config:
            break
    assert challenge.shown == config
    assert verify_standings(challenge) == []


def value(attempt: Attempt, challenge: Challenge) -> float | None:
    """What the shown board's first text metric says of an attempt."""
    score = Score.objects.get(attempt=attempt, config=challenge.shown)
    found: float | None = next(iter(score.metric_values.values()))["value"]
    return found


def test_other_parameters(tenant: Tenant, alice: User, bring: Bring) -> None:
    challenge = translation(tenant, alice, text_metrics=["words"], rank_by=[{"key": "WORDS"}])
    attempt = bring(challenge, evaluation=document())
    assert value(attempt, challenge) == 1.0
    before = challenge.shown
    metrics = [{"id": "WORDS", "parameters": {"times": 3.0}}]
    challenge = change_challenge(challenge, user=None, fields={"text_metrics": metrics})
    assert value(attempt, challenge) == 1.0
    rescored(challenge)
    assert value(attempt, challenge) == 3.0
    score = Score.objects.select_related("config").get(attempt=attempt, config=challenge.shown)
    (entry,) = output_document(Attempt.objects.get(pk=attempt.pk), score)
    assert (entry["parameters"], entry["score"]) == ({"times": 3.0}, {"words": 3.0})
    assert not MetricRun.objects.filter(config=before).exists(), "nobody reads them any more"


def test_other_references(tenant: Tenant, alice: User, bring: Bring) -> None:
    """In another order, one more, one less, and another answer."""
    challenge = shared_task(tenant, alice)
    right = {key: expected[0] for key, expected in EXPECTED.items()}
    attempt = bring(challenge, outputs=parse_outputs(right))
    assert value(attempt, challenge) == 1.0
    rows = [
        {"id": 9, "expected-output": "new"},
        {"id": 3, "expected-output": "the cat sleeps"},
        {"id": "1", "expected-output": "no longer"},
    ]
    hold_references(challenge, user=alice, document=parse_document({"instances": rows}))
    challenge.refresh_from_db()
    rescored(challenge)
    assert value(attempt, challenge) == pytest.approx(1 / 3)
    found = Score.objects.get(attempt=attempt, config=challenge.shown).metric_values
    assert (found["EXACT_MATCH"]["total"], found["EXACT_MATCH"]["failed"]) == (3, 1)


def test_references_that_are_taken_away(tenant: Tenant, alice: User, bring: Bring) -> None:
    challenge = shared_task(tenant, alice)
    attempt = bring(challenge, outputs=parse_outputs({"1": "hello"}))
    release_references(challenge, user=alice)
    challenge.refresh_from_db()
    rescored(challenge)
    found = Score.objects.get(attempt=attempt, config=challenge.shown).metric_values["EXACT_MATCH"]
    assert (found["value"], found["reason"], found["defined"]) == (None, "undefined", 0)


def test_references_that_come_later(tenant: Tenant, alice: User, bring: Bring) -> None:
    """What is held counts, and so do the challenge's metrics alone."""
    challenge = translation(tenant, alice)
    attempt = bring(challenge, evaluation=document("f1"))
    assert value(attempt, challenge) == pytest.approx(2 / 3)
    rows = [{"id": 1, "expected-output": "hello"}]
    hold_references(challenge, user=alice, document=parse_document({"instances": rows}))
    challenge.refresh_from_db()
    rescored(challenge)
    assert value(attempt, challenge) == 1.0
    assert list(MetricRun.objects.values_list("key", flat=True)) == ["EXACT_MATCH"]


def test_an_attempt_between_two_boards(tenant: Tenant, alice: User, bring: Bring) -> None:
    challenge = shared_task(tenant, alice)
    bring(challenge, outputs=parse_outputs({"1": "hello"}))
    metrics = ["exact_match", "words"]
    challenge = change_challenge(challenge, user=None, fields={"text_metrics": metrics})
    late = bring(challenge, "boreas", outputs=parse_outputs({"1": "hello", "2": "thank you"}))
    own, shown = Score.objects.filter(attempt=late).order_by("-config__number")
    assert set(own.metric_values) == {"EXACT_MATCH", "WORDS"}
    assert set(shown.metric_values) == {"EXACT_MATCH"}
    assert MetricRun.objects.filter(evaluation=late.pk).count() == 3


def test_a_slice_is_let_go_and_goes_on(
    tenant: Tenant,
    alice: User,
    bring: Bring,
    bells: list[tuple[Any, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("leaderboard.rules.instances.ROWS_PER_BLOCK", 1)
    challenge = translation(tenant, alice, text_metrics=["words"], rank_by=[{"key": "WORDS"}])
    for name in ("atlas", "boreas"):
        bring(challenge, name, evaluation=document())
    metrics = [{"id": "WORDS", "parameters": {"times": 2.0}}]
    challenge = change_challenge(challenge, user=None, fields={"text_metrics": metrics})
    config, _ = rescoring.start_rescore(challenge)
    bells.clear()
    monkeypatch.setattr(evaluating.Turn, "is_over", lambda turn: turn._first is not None)
    assert rescoring.work_on(config.pk, seconds=0.001) == 0
    slice_ = RescoreSlice.objects.get()
    assert (slice_.done, slice_.lease_token, slice_.deliveries) == (False, None, 0)
    assert ("rescore", config.pk) in bells
    assert 0 < MetricRun.objects.filter(config=config).count() < 3
    rescored(challenge)
    scores = Score.objects.filter(config=config)
    assert {score.metric_values["WORDS"]["value"] for score in scores} == {2.0}


@pytest.mark.parametrize(
    ("attempts", "instances", "size"),
    [(50, 0, 100), (5000, 0, 200), (10, 100, 100), (10, 50_000, 1), (1000, 100_000, 50)],
)
def test_slices_are_small_where_attempts_take_long(
    attempts: int, instances: int, size: int
) -> None:
    assert slices._size(attempts, instances) == size


def test_what_came_late_is_evaluated_in_turns(
    tenant: Tenant,
    alice: User,
    bring: Bring,
    bells: list[tuple[Any, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An attempt that was passed over is scored when the board is about to switch."""
    monkeypatch.setattr("leaderboard.rules.instances.ROWS_PER_BLOCK", 1)
    challenge = shared_task(tenant, alice)
    bring(challenge, outputs=parse_outputs({"1": "hello"}))
    metrics = ["exact_match", "words"]
    challenge = change_challenge(challenge, user=None, fields={"text_metrics": metrics})
    config, _ = rescoring.start_rescore(challenge)
    RescoreSlice.objects.update(done=True)
    monkeypatch.setattr(evaluating.Turn, "is_over", lambda turn: turn._first is not None)
    bells.clear()
    assert not rescoring.finish_if_done(config.pk)
    assert bells == [("rescore", config.pk)]
    for _ in range(20):
        if rescoring.finish_if_done(config.pk):
            break
    challenge.refresh_from_db()
    assert challenge.shown == config
    assert verify_standings(challenge) == []


def test_instances_are_matched_by_id(tenant: Tenant, alice: User, bring: Bring) -> None:
    challenge = shared_task(tenant, alice)
    attempt = bring(challenge, outputs=parse_outputs({"2": ["a", "b"], "3": None}))
    ((number, found),) = Instances(attempt.pk, challenge.newest).blocks()
    assert number == 0
    assert [each.id for each in found] == ["1", "2", "3"]
    assert [list(each.outputs) for each in found] == [[], ["a", "b"], []]
    assert [each.input for each in found] == [row["input"] for row in instances()]
