"""Batches whose worker is lost or late: each attempt is still scored once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from leaderboard.models import Attempt, Challenge, Score
from leaderboard.sandbox import IsolationMissing, Outcome
from leaderboard.services.scoring import batch_claims, claims, history, single, stateful
from leaderboard.services.scoring.batch_claims import BatchClaim
from leaderboard.services.scoring.lost import give_up_lost
from leaderboard.services.scoring.next_claim import claim_next
from leaderboard.services.scoring.sweeper import sweep
from tests.services.scoring.conftest import ImportHistory
from tests.services.scoring.history.batches import batch, is_right, statuses
from tests.services.workers import lose_workers


def test_a_lost_batch_is_scored_again(sprint: Challenge, import_history: ImportHistory) -> None:
    import_history(sprint, 50)
    lost = batch()
    assert lost.count == 50
    lose_workers()
    assert sweep() > 0
    assert single.score_waiting() == 50
    assert history.score_batch(lost) == 0, "whoever comes late stores nothing"
    assert statuses() == {"scored": 50}
    assert is_right(sprint)


def test_a_worker_may_die_while_it_saves(
    sprint: Challenge, import_history: ImportHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_history(sprint, 50)

    def die(*args: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(history, "store", die)
        with pytest.raises(SystemExit):
            single.score_next()
    assert statuses() == {"scoring": 50}
    lose_workers()
    assert single.score_waiting() == 50
    assert is_right(sprint)


def test_a_late_worker_saves_only_attempts_that_no_other_worker_has(
    sprint: Challenge, import_history: ImportHistory
) -> None:
    """Another worker has claimed a part of a batch whose lease ended; the rest waits again."""
    import_history(sprint, 50)
    late = batch()
    assert late.count == 50
    lose_workers()
    assert batch().count == batch_claims.AFTER_LOSSES[1]
    assert history.score_batch(late) == 0
    assert statuses() == {"scoring": 30, "queued": 20}
    lose_workers()
    assert single.score_waiting() == 50
    assert is_right(sprint)


def test_only_attempts_that_kill_workers_fail(
    sprint: Challenge, import_history: ImportHistory
) -> None:
    """Each lost worker reduces the number of suspected attempts."""
    import_history(sprint, 50)
    poison = Attempt.objects.order_by("due_at")[3].pk
    counts = []
    while claim := claim_next("short", batches=True):
        ids = {attempt.pk for attempt in claim.attempts} if isinstance(claim, BatchClaim) else set()
        counts.append(claim.count)
        if poison in ids | {claim.attempt.pk}:
            lose_workers()
        else:
            single._score_claimed(claim)
    assert counts[:2] == [50, 30]
    assert set(counts[2:]) == {1, 20}
    assert give_up_lost() == 0
    lose_workers()
    assert give_up_lost() == 1
    assert statuses() == {"scored": 49, "failed": 1}
    assert Score.objects.get(attempt=poison).error_code == "worker_lost"
    assert is_right(sprint)


def test_a_host_that_may_not_score_returns_the_batch_to_the_queue(
    sprint: Challenge, import_history: ImportHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_here(*args: Any, **options: Any) -> Iterator[Outcome]:
        raise IsolationMissing(["network"])

    import_history(sprint, 20)
    monkeypatch.setattr(stateful, "outcomes", not_here)
    for _ in range(claims.MAX_DELIVERIES + 1):
        with pytest.raises(IsolationMissing):
            single.score_waiting()
    rows = Attempt.objects.values_list("status", "deliveries", "lease_token")
    assert set(rows) == {("queued", 0, None)}
    monkeypatch.undo()
    assert single.score_waiting() == 20
