"""What participants and organisers may do with an attempt, and what it changes."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection

from leaderboard.models import (
    Attempt,
    AuditEntry,
    Board,
    Challenge,
    Phase,
    QuotaUse,
    Score,
    Standing,
    User,
)
from leaderboard.sandbox import Failure, Outcome
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.competition.teams.membership import join
from leaderboard.services.errors import ServiceError
from leaderboard.services.evaluation import evaluate
from leaderboard.services.scoring import outcomes as scoring_outcomes
from leaderboard.services.scoring import single
from leaderboard.services.scoring.attempt_actions import Action, act, allowed_actions
from leaderboard.services.scoring.next_claim import claim_next
from leaderboard.services.scoring.outcomes import NOTHING_TO_RUN
from tests.services.competition.moments import NOON, At, phase, submit_at
from tests.services.conftest import Bring, Ranks, Submit
from tests.services.evaluation.evaluating import Make, nine
from tests.services.threads import at_once

__all__ = ["phase", "submit_at"]

pytestmark = pytest.mark.django_db


def acted_on(attempt: Attempt, action: Action, user: User, *, organiser: bool = False) -> Attempt:
    act(attempt, action, user=user, organiser=organiser, reason="a mistake" if organiser else "")
    return attempt


def refusal(attempt: Attempt, action: Action, user: User | None, **options: Any) -> str:
    with pytest.raises(ServiceError) as caught:
        act(attempt, action, user=user, organiser=options.pop("organiser", False), **options)
    return caught.value.code


class TestCancelling:
    def test_a_waiting_attempt_ends_without_a_score(
        self, sprint: Challenge, submit: Submit, alice: User, ranks: Ranks
    ) -> None:
        attempt = acted_on(submit(sprint, "atlas", elapsed_ms=5), "cancel", alice)
        assert (attempt.status, attempt.lease_token) == ("failed", None)
        assert attempt.withdrawn_at
        assert attempt.finished_at
        assert Score.objects.get(attempt=attempt).error_code == "cancelled"
        assert claim_next("short") is None
        assert ranks(sprint) == {"atlas": None}
        assert verify_standings(sprint) == []

    def test_the_result_of_a_worker_is_dropped(
        self, sprint: Challenge, submit: Submit, alice: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        attempt = submit(sprint, "atlas", elapsed_ms=5)
        scored = scoring_outcomes.outcomes

        def outcomes(*args: Any, **options: Any) -> Any:
            acted_on(attempt, "cancel", alice)
            return scored(*args, **options)

        monkeypatch.setattr(single, "outcomes", outcomes)
        single.score_attempt(attempt.pk)
        attempt.refresh_from_db()
        assert attempt.status == "failed"
        assert Score.objects.get(attempt=attempt).error_code == "cancelled"
        assert verify_standings(sprint) == []

    @pytest.mark.usefixtures("in_house", "small_blocks")
    def test_an_evaluation_stops_before_its_next_block(
        self,
        make: Make,
        bring: Bring,
        alice: User,
        asked: list[int],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        attempt = bring(make("words"), evaluation=nine())
        now = evaluate._Store.now

        def cancelled(store: Any) -> None:
            if Attempt.objects.get(pk=attempt.pk).withdrawn_at is None:
                act(attempt, "cancel", user=alice, organiser=False)
            now(store)

        monkeypatch.setattr(evaluate._Store, "now", cancelled)
        single.score_attempt(attempt.pk)
        attempt.refresh_from_db()
        assert attempt.status == "failed"
        assert len(asked) < 9

    def test_an_ended_attempt_cannot_be_cancelled(
        self, sprint: Challenge, submit: Submit, alice: User
    ) -> None:
        attempt = submit(sprint, "atlas", elapsed_ms=5)
        before = Attempt.objects.get(pk=attempt.pk)
        single.score_attempt(attempt.pk)
        attempt.refresh_from_db()
        assert refusal(attempt, "cancel", alice) == "conflict"
        assert refusal(before, "cancel", alice) == "conflict", "it ended since it was read"
        assert Score.objects.get(attempt=attempt).error_code == ""

    def test_a_cancelled_attempt_counts_towards_no_quota(
        self, phase: Phase, submit_at: At, bob: User
    ) -> None:
        phase.per_day = phase.total = 5
        phase.count_failed = True
        phase.save()
        attempt = submit_at(NOON)
        assert set(QuotaUse.objects.values_list("used", flat=True)) == {1}
        acted_on(attempt, "cancel", bob)
        assert set(QuotaUse.objects.values_list("used", flat=True)) == {0}
        call_command("verify_quotas")

    def test_a_full_disk_leaves_no_half_of_it(
        self, phase: Phase, submit_at: At, bob: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The disk is full from some statement on: each in turn, the last one included."""
        monkeypatch.setattr("leaderboard.services.transactions.sleep", lambda seconds: None)
        phase.per_day = phase.total = 5
        phase.save()
        attempt = submit_at(NOON)

        def stored() -> list[object]:
            tables = (Attempt, Score, QuotaUse, Standing, Board, AuditEntry)
            return [list(table.objects.order_by("pk").values()) for table in tables]

        before = stored()
        for free in range(100):
            left = iter(range(free))

            def write(execute: Any, sql: str, *rest: Any, left: Any = left) -> Any:
                if sql.startswith(("INSERT", "UPDATE", "DELETE")) and next(left, None) is None:
                    raise OperationalError("database or disk is full")
                return execute(sql, *rest)

            try:
                with connection.execute_wrapper(write):
                    acted_on(attempt, "cancel", bob)
                break
            except OperationalError:
                attempt.refresh_from_db()
                assert stored() == before, f"half done after {free} statements"
        assert free > 3
        attempt.refresh_from_db()
        assert attempt.status == "failed"

    def test_an_organiser_can_have_it_scored_after_all(
        self, sprint: Challenge, submit: Submit, alice: User, ranks: Ranks
    ) -> None:
        attempt = acted_on(submit(sprint, "atlas", elapsed_ms=5), "cancel", alice)
        for action in ("restore", "retry"):
            acted_on(attempt, action, alice, organiser=True)
        single.score_waiting()
        assert ranks(sprint) == {"atlas": 1}

    @pytest.mark.django_db(transaction=True)
    def test_of_a_cancel_and_a_score_one_wins(
        self, sprint: Challenge, submit: Submit, alice: User
    ) -> None:
        attempts = [submit(sprint, f"p{at}", elapsed_ms=at + 1) for at in range(6)]

        def cancel(attempt: Attempt) -> None:
            with suppress(ServiceError):
                act(attempt, "cancel", user=alice, organiser=False)

        def score(attempt: Attempt) -> None:
            single.score_attempt(attempt.pk)

        at_once([partial(work, attempt) for attempt in attempts for work in (cancel, score)])
        for attempt in attempts:
            attempt.refresh_from_db()
            error_code = Score.objects.get(attempt=attempt).error_code
            assert (attempt.status == "failed") == (error_code == "cancelled")
            assert (attempt.status == "failed") == (attempt.withdrawn_at is not None)
        assert verify_standings(sprint) == []


class TestWithdrawing:
    def test_a_participant_withdraws_a_scored_attempt(
        self, sprint: Challenge, submit: Submit, alice: User, ranks: Ranks
    ) -> None:
        attempt = submit(sprint, "atlas", elapsed_ms=5)
        assert refusal(attempt, "withdraw", alice) == "conflict", "it can be cancelled"
        single.score_attempt(attempt.pk)
        attempt.refresh_from_db()
        acted_on(attempt, "withdraw", alice)
        assert ranks(sprint) == {"atlas": None}
        assert refusal(attempt, "withdraw", alice) == "conflict"
        assert refusal(attempt, "restore", alice) == "permission_denied"
        acted_on(attempt, "restore", alice, organiser=True)
        assert ranks(sprint) == {"atlas": 1}
        assert refusal(attempt, "restore", alice, organiser=True) == "conflict"

    def test_an_organiser_says_why(self, sprint: Challenge, submit: Submit, alice: User) -> None:
        attempt = submit(sprint, "atlas", elapsed_ms=5)
        assert refusal(attempt, "withdraw", alice, organiser=True, reason=" ") == "invalid"
        act(attempt, "withdraw", user=alice, organiser=True, reason="copied")
        assert attempt.withdrawn_reason == "copied"


class TestRights:
    def test_others_may_do_nothing(self, sprint: Challenge, submit: Submit, bob: User) -> None:
        attempt = submit(sprint, "atlas", elapsed_ms=5)
        for user in (bob, None):
            assert allowed_actions(attempt, user, organiser=False) == ()
            for action in ("cancel", "withdraw", "restore", "retry"):
                assert refusal(attempt, action, user) == "permission_denied"

    def test_each_member_of_a_team_may(self, sprint: Challenge, alice: User, bob: User) -> None:
        declare_rules(sprint, {"mode": "open", "largest_team": 2})
        team = register(sprint, alice, {"participant": "atlas", "kind": "team"}).participant
        attempt = Attempt(challenge=sprint, participant=team)
        assert allowed_actions(attempt, bob, organiser=False) == ()
        join(sprint, team, bob)
        assert allowed_actions(attempt, bob, organiser=False) == ("cancel",)

    def test_only_failed_attempts_are_retried(
        self, sprint: Challenge, submit: Submit, alice: User, broken: list[Outcome]
    ) -> None:
        attempt = submit(sprint, "atlas", elapsed_ms=5)
        assert refusal(attempt, "retry", alice, organiser=True) == "conflict"
        single.score_attempt(attempt.pk)
        attempt.refresh_from_db()
        assert refusal(attempt, "retry", alice) == "permission_denied"
        assert allowed_actions(attempt, alice, organiser=True) == ("withdraw", "retry")
        broken.clear()
        acted_on(attempt, "retry", alice, organiser=True)
        assert attempt.status == "queued"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> list[Outcome]:
    """The scorer fails as long as this list has an outcome."""
    failures = [NOTHING_TO_RUN._replace(error=Failure("exception", "It fails.", ""))]
    scored = scoring_outcomes.outcomes

    def outcomes(config: Any, attempts: Any, **options: Any) -> Any:
        return iter(failures * len(attempts)) if failures else scored(config, attempts, **options)

    monkeypatch.setattr(single, "outcomes", outcomes)
    return failures
