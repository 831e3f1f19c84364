"""Accounts that are deleted while workers score their attempts, or while they submit more."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import pytest
from django.db import connection

from leaderboard.models import Attempt, Challenge, Participant, Score, User
from leaderboard.services.accounts import erase
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.scoring import single
from tests.services.conftest import Submit


@pytest.mark.django_db(transaction=True)
def test_an_attempt_that_is_scored_while_it_is_deleted_leaves_no_standing(
    sprint: Challenge, alice: User, submit: Submit
) -> None:
    """A worker that is quicker than the deletion counts the attempt, and a later one does not."""
    best, other = (submit(sprint, "atlas", elapsed_ms=ms) for ms in (5, 9))
    single.score_attempt(best.pk)
    scoring: list[Future[None]] = []

    def score() -> None:
        try:
            single.score_attempt(other.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:

        def score_between(execute: Any, sql: str, *rest: Any) -> Any:
            """Let a worker score as soon as the unfinished attempts have been read."""
            rows = execute(sql, *rest)
            if not scoring and sql.startswith("SELECT") and '"status" IN' in sql:
                scoring.append(pool.submit(score))
                wait(scoring, timeout=1)
            return rows

        with connection.execute_wrapper(score_between):
            erase_account(alice)
        scoring[0].result()
    assert verify_standings(sprint) == []
    assert Score.objects.count() == 1


def test_what_is_submitted_while_the_account_is_deleted_is_erased_too(
    sprint: Challenge, alice: User, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request that began before the deletion saves an attempt after the others were erased."""
    submit(sprint, "atlas", elapsed_ms=5)
    forget, late = erase._forget_orders, ["atlas", "borea"]

    def submit_late(participant: Participant) -> None:
        while late:
            submit(sprint, late.pop(), elapsed_ms=9)
        forget(participant)

    monkeypatch.setattr(erase, "_forget_orders", submit_late)
    Participant.objects.filter(handle="atlas").update(name="Al")
    erase_account(alice)
    assert {participant.handle for participant in Participant.objects.all()} == {
        f"withdrawn participant {participant.pk}" for participant in Participant.objects.all()
    }
    assert not Attempt.objects.exists()
    assert not User.objects.filter(pk=alice.pk).exists()
