"""A charge that turns out not to count is given back by itself, once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.db import transaction

from leaderboard.models import Attempt, Challenge, Phase, ProgramRun, QuotaUse, User
from leaderboard.sandbox import Failure
from leaderboard.services.attempts.retry import restore_attempt, retry_attempt, withdraw_attempt
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt, submit_many
from leaderboard.services.competition.quotas.recount import recount_quotas, verify_quotas
from leaderboard.services.competition.quotas.refunds import give_back
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring import outcomes, single
from leaderboard.services.scoring.attempt_actions import cancel_attempt
from tests.services.competition.moments import NOON, At, take_names
from tests.services.threads import at_once

pytestmark = pytest.mark.django_db

Fail = Callable[[Attempt, str], None]


def used() -> set[int]:
    """The values of the counters per day, per week and in total."""
    return set(QuotaUse.objects.values_list("used", flat=True))


@pytest.fixture
def limits(phase: Phase) -> Phase:
    phase.per_day = phase.per_week = phase.total = 5
    phase.save()
    return phase


@pytest.fixture
def fail(monkeypatch: pytest.MonkeyPatch) -> Fail:
    """Score an attempt with a scorer that fails: `fail(attempt, "exception")`."""

    def failed(attempt: Attempt, code: str) -> None:
        outcome = outcomes.NOTHING_TO_RUN._replace(error=Failure(code, "It fails.", ""))  # type: ignore[arg-type]
        with monkeypatch.context() as patch:
            patch.setattr(outcomes, "NOTHING_TO_RUN", outcome)
            single.score_attempt(attempt.pk)
        attempt.refresh_from_db()
        assert attempt.status == "failed"

    return failed


def test_code_that_prints_to_its_participant_counts_though_it_is_cancelled(
    limits: Phase, submit_at: At
) -> None:
    for begun, count in ((None, 0), (NOON, 1)):
        attempt = submit_at(NOON)
        ProgramRun.objects.create(
            attempt=attempt, config=attempt.scoring_config, step="ingestion", started_at=begun
        )
        cancel_attempt(attempt)
        assert used() == {count}
    assert verify_quotas(limits.challenge) == []


def test_faults_of_the_platform_do_not_count(limits: Phase, submit_at: At, fail: Fail) -> None:
    for code in ("worker_lost", "not_installed", "load_error"):
        attempt = submit_at(NOON)
        assert used() == {1}
        fail(attempt, code)
        assert (used(), attempt.charged_day) == ({0}, None), code


def test_failed_attempts_count_as_the_phase_says(limits: Phase, submit_at: At, fail: Fail) -> None:
    for counts, left in ((False, {0}), (True, {1})):
        Phase.objects.update(count_failed=counts)
        fail(submit_at(NOON), "exception")
        assert used() == left


def test_a_retry_is_not_charged(limits: Phase, submit_at: At, fail: Fail) -> None:
    attempt = submit_at(NOON)
    fail(attempt, "worker_lost")
    retry_attempt(attempt)
    single.score_attempt(attempt.pk)
    attempt.refresh_from_db()
    assert (attempt.status, used()) == ("scored", {0})


def test_an_attempt_that_is_withdrawn_while_it_waits_does_not_count(
    limits: Phase, submit_at: At
) -> None:
    waiting, scored = submit_at(NOON), submit_at(NOON)
    single.score_attempt(scored.pk)
    for attempt in (waiting, scored):
        withdraw_attempt(attempt, reason="wrong file")
        restore_attempt(attempt)
        withdraw_attempt(attempt, reason="wrong file")
    assert used() == {1}


def test_verifying_finds_and_repairs_what_differs(
    sprint: Challenge, limits: Phase, submit_at: At, bob: User, capsys: pytest.CaptureFixture[str]
) -> None:
    take_names(sprint, bob, "atlas", "bravo")
    submit_at(NOON)
    submit_at(NOON, "bravo")
    assert verify_quotas(sprint) == []
    call_command("verify_quotas", "sprint")
    QuotaUse.objects.filter(kind="day").update(used=4)
    QuotaUse.objects.filter(kind="total", participant__handle="bravo").delete()
    assert len(verify_quotas(sprint)) == 3
    with pytest.raises(SystemExit):
        call_command("verify_quotas", "sprint")
    assert "2026-03-04: 4, counted 1" in capsys.readouterr().out
    call_command("verify_quotas", "sprint", "--repair")
    assert verify_quotas(sprint) == []
    assert used() == {1}


@pytest.mark.django_db(transaction=True)
def test_simultaneous_attempts_never_exceed_a_limit(
    sprint: Challenge, limits: Phase, submit_at: At, bob: User
) -> None:
    """50 requests with 3 attempts left: 3 of them are accepted; bulks of 2 fill what is left."""
    Phase.objects.update(limits_per="name")
    take_names(sprint, bob, "atlas", "bravo")
    for _ in range(2):
        submit_at(NOON)

    def is_accepted() -> bool:
        try:
            submit_attempt(challenge=sprint, user=bob, new=NewAttempt("atlas"), received_at=NOON)
        except ServiceError as error:
            return error.code != "quota"
        return True

    assert sum(at_once([is_accepted] * 50)) == 3
    assert used() == {5}
    Phase.objects.update(per_day=8, per_week=None, total=None)
    recount_quotas(sprint)

    def sends_three() -> bool:
        news = [NewAttempt("atlas"), NewAttempt("bravo"), NewAttempt("atlas")]
        bulk = submit_many(challenge=sprint, user=bob, news=news, received_at=NOON)
        return bool(bulk.accepted)

    at_once([sends_three] * 12)
    counts = Attempt.objects.values_list("participant__handle", flat=True)
    assert sorted(counts) == ["atlas"] * 8 + ["bravo"] * 8
    assert verify_quotas(sprint) == []


@pytest.mark.django_db(transaction=True)
def test_simultaneous_calls_give_back_once(limits: Phase, submit_at: At) -> None:
    attempts = [submit_at(NOON).pk for _ in range(3)]

    def gives_back() -> bool:
        with transaction.atomic():
            return give_back(attempts[:2]) > 0

    at_once([gives_back] * 20)
    assert used() == {1}
