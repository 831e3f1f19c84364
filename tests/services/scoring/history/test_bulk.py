"""A participant's own bulk is scored in batches, which share nothing with other participants."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from leaderboard.models import Attempt, Challenge, Score, User
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.scoring import others, single
from leaderboard.services.scoring.batch_claims import LEAST_OF_BULK, BatchClaim
from leaderboard.services.scoring.next_claim import claim_next
from tests.plugin_files import write
from tests.services.conftest import Submit
from tests.services.scoring.history.batches import SCORER, is_right, statuses

SLOW = SCORER.replace("{score}", 'float(metrics["elapsed_ms"])').replace(
    "os._exit(3)", "__import__('time').sleep(60)"
)
STATE = SCORER.replace("{score}", "float(Steps.seen)")


def bulk(
    challenge: Challenge, user: User, name: str, times: range, *, is_history: bool = False
) -> None:
    news = [NewAttempt(name, {"succeeded": True, "elapsed_ms": at}) for at in times]
    submitted = submit_many(challenge=challenge, user=user, news=news, organiser=is_history)
    assert len(submitted.accepted) == len(times)


@pytest.mark.parametrize(
    ("scorer", "timeout_ms", "is_history"),
    [("crashes", 5000, False), ("crashes", 5000, True), ("sleeps", 500, False)],
)
def test_a_failing_attempt_does_not_affect_the_others(
    scored_by: Callable[..., Challenge],
    own: Path,
    bob: User,
    scorer: str,
    timeout_ms: int,
    is_history: bool,
) -> None:
    if scorer == "sleeps":
        write(own, SLOW)
    challenge = scored_by(timeout_ms=timeout_ms)
    bulk(challenge, bob, "bob", range(1, 21), is_history=is_history)
    assert single.score_next()
    assert statuses() == {"scored": 19, "failed": 1}
    failed = Score.objects.get(attempt__elapsed_ms=7)
    assert failed.error_code == {"crashes": "crashed", "sleeps": "timeout"}[scorer]
    values = Score.objects.filter(error_code="").values_list("value", "attempt__elapsed_ms")
    assert all(value == elapsed_ms for value, elapsed_ms in values)
    assert is_right(challenge)


def test_attempts_of_several_participants_share_no_child(
    scored_by: Callable[..., Challenge], own: Path, alice: User, bob: User
) -> None:
    """The scorer counts the attempts that its process has seen."""
    write(own, STATE)
    challenge = scored_by()
    bulk(challenge, alice, "alice", range(100, 115))
    bulk(challenge, bob, "bob", range(200, 215))
    while single.score_next():
        assert not Attempt.objects.filter(status="scoring").exists()
    assert statuses() == {"scored": 30}
    assert set(Score.objects.values_list("value", flat=True)) == {1.0}
    assert is_right(challenge)


@pytest.mark.parametrize("number", [LEAST_OF_BULK - 1, LEAST_OF_BULK])
def test_participants_take_turns_beside_a_bulk(
    sprint: Challenge, submit: Submit, bob: User, number: int
) -> None:
    bulk(sprint, bob, "bob", range(1, 30))
    other = submit(sprint, "other", elapsed_ms=5)
    first, second = claim_next("short", batches=True), claim_next("short", batches=True)
    assert first is not None
    assert not isinstance(first, BatchClaim), "the other one is next but one"
    assert second is not None
    assert second.attempt.pk == other.pk
    Attempt.objects.filter(elapsed_ms__gt=number + 1).update(status="failed")
    third = claim_next("short", batches=True)
    assert isinstance(third, BatchClaim) is (number == LEAST_OF_BULK)


def test_a_batch_of_a_bulk_ends_for_others(
    sprint: Challenge,
    north: Challenge,
    submit: Submit,
    bob: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(others, "SECONDS_PER_LOOK", 0.0)
    bulk(sprint, bob, "bob", range(1, 30))
    claimed = claim_next("short", batches=True)
    assert isinstance(claimed, BatchClaim)
    waits = others.Others(sprint.tenant_id, claimed.participant_id)
    assert not waits()
    mine = submit(sprint, "other", elapsed_ms=5)
    assert waits()
    Attempt.objects.filter(pk=mine.pk).delete()
    waits = others.Others(sprint.tenant_id, claimed.participant_id)
    assert not waits()
    submit(north, "boreas", elapsed_ms=5)
    assert waits()
