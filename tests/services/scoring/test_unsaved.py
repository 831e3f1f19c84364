"""A result that cannot be saved is kept, and its worker is not lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import pytest
from django.db import DatabaseError, InternalError, OperationalError, connection, transaction

from leaderboard.database import session_limits
from leaderboard.models import (
    Attempt,
    BlockedBoard,
    Challenge,
    Score,
    ScoringConfig,
    Tenant,
    User,
)
from leaderboard.operating import outages
from leaderboard.sandbox import HostOverfull, Outcome
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore
from leaderboard.services.operations import status, workers
from leaderboard.services.scoring import (
    batch_claims,
    claims,
    history,
    rescoring,
    single,
    stateful,
    unsaved,
)
from leaderboard.services.scoring.lost import give_up_lost
from leaderboard.services.scoring.outcomes import NOTHING_TO_RUN
from tests.helpers.attempts import score_all
from tests.services.conftest import Submit
from tests.services.scoring.conftest import ImportHistory
from tests.services.workers import claimed, lose_workers


@pytest.fixture(autouse=True)
def _try_again_when_told(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(unsaved, "_start", lambda: None)
    monkeypatch.setattr(batch_claims, "_sizes", {})
    monkeypatch.setattr("leaderboard.services.transactions.sleep", lambda seconds: None)
    yield
    unsaved._unsaved.clear()


def refuse(error: DatabaseError) -> Callable[..., None]:
    def refused(*args: Any, **options: Any) -> None:
        raise error

    return refused


def row(attempt: Attempt) -> tuple[str, int]:
    attempt.refresh_from_db()
    return attempt.status, attempt.deliveries


@pytest.mark.parametrize("error", [OperationalError("disk full"), InternalError("a trigger")])
@pytest.mark.django_db
def test_a_result_is_saved_later_and_computed_once(
    error: DatabaseError, sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=900)
    with monkeypatch.context() as patched:
        patched.setattr(single, "store", refuse(error))
        single.score_waiting()
        for _ in range(claims.MAX_DELIVERIES + 1):
            assert not unsaved.try_again()
            assert row(attempt) == ("scoring", 0)
    monkeypatch.setattr(single, "outcomes", refuse(DatabaseError("computed again")))
    assert unsaved.try_again()
    assert row(attempt)[0] == "scored"
    assert Score.objects.get().error_code == ""
    assert not BlockedBoard.objects.exists()


@pytest.mark.django_db
def test_the_board_of_an_unsaved_result_is_left_aside(
    sprint: Challenge,
    tenant: Tenant,
    alice: User,
    submit: Submit,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Attempts of other boards of the same tenant do not wait."""
    fields = {"name": "Marathon", "scoring_strategy": "fastest"}
    other = create_challenge(tenant=tenant, user=alice, fields=fields)
    stuck, waiting = (submit(sprint, "atlas", elapsed_ms=5) for _ in range(2))
    free = submit(other, "atlas", elapsed_ms=5)
    with monkeypatch.context() as patched:
        patched.setattr(single, "store", refuse(OperationalError("locked")))
        single.score_next()
    single.score_waiting()
    assert [row(attempt)[0] for attempt in (stuck, waiting, free)] == [
        "scoring",
        "queued",
        "scored",
    ]
    workers.record_alive()
    current_status = status.status()
    assert (current_status.state, [blocked.challenge for blocked in current_status.blocked]) == (
        "delayed",
        [sprint.slug],
    )
    assert unsaved.try_again()
    assert single.score_waiting() == 1
    assert status.status().state == "ok"


@pytest.mark.django_db
def test_a_worker_that_lives_takes_back_its_delivery(sprint: Challenge, submit: Submit) -> None:
    """The database refused everything until three leases had ended, each of a worker that lives."""
    attempt = submit(sprint, "atlas", elapsed_ms=900)
    living = []
    for _ in range(claims.MAX_DELIVERIES):
        living.append(unsaved.Unsaved(claimed(attempt), None))
        lose_workers()
    assert give_up_lost() == 0
    for unsaved_result in living:
        unsaved_result.end()
    assert row(attempt) == ("queued", 1)
    assert single.score_attempt(attempt.pk)


@pytest.mark.django_db
def test_a_claim_is_given_back_if_the_database_fails_before_the_save(
    sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=900)
    monkeypatch.setattr(single, "plan", refuse(OperationalError("gone")))
    for _ in range(claims.MAX_DELIVERIES + 1):
        with pytest.raises(OperationalError):
            single.score_waiting()
    assert row(attempt) == ("queued", 0)


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.django_db
def test_a_result_that_cannot_be_stored_is_a_failure_of_its_attempt(
    batch: bool, sprint: Challenge, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    news = [NewAttempt(f"p{at}", {"elapsed_ms": 100 + at}) for at in range(5)]
    submit_many(challenge=sprint, user=alice, news=news, organiser=batch)
    outcome = NOTHING_TO_RUN._replace(details={"at": float("inf")})

    def forged(
        config: ScoringConfig, attempts: Sequence[AttemptToScore], **_: Any
    ) -> list[Outcome]:
        return [
            outcome if attempt.participant_slug == "p3" else NOTHING_TO_RUN for attempt in attempts
        ]

    monkeypatch.setattr(single, "outcomes", forged)
    for name in ("batch_outcomes", "outcomes_in_time"):
        monkeypatch.setattr(history, name, forged)
    score_all()
    codes = dict(Score.objects.values_list("attempt__participant__slug", "error_code"))
    assert codes == {f"p{at}": "invalid_result" if at == 3 else "" for at in range(5)}
    assert Attempt.objects.filter(status="failed").count() == 1


@pytest.mark.django_db
def test_a_batch_is_kept_as_a_whole(
    sprint: Challenge, import_history: ImportHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_history(sprint, 20)
    with monkeypatch.context() as patched:
        patched.setattr(history, "store", refuse(OperationalError("disk full")))
        single.score_next()
    assert set(Attempt.objects.values_list("status", "deliveries")) == {("scoring", 0)}
    assert unsaved.try_again()
    assert set(Attempt.objects.values_list("status", flat=True)) == {"scored"}


@pytest.mark.django_db
def test_a_process_that_saves_nothing_claims_nothing(
    sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=900)
    monkeypatch.setattr(unsaved, "MOST_CLAIMS", 0)
    assert (single.score_next(), single.score_waiting(), row(attempt)[0]) == (False, 0, "queued")


@pytest.mark.django_db(transaction=True)
def test_a_lock_of_another_session_is_not_waited_for(
    sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite locks no rows")
    monkeypatch.setattr(session_limits, "_lock_seconds", 2.0)
    connection.close()
    attempt = submit(sprint, "atlas", elapsed_ms=900)
    locked, enough = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            Challenge.objects.lock_boards(sprint.pk)
            locked.set()
            enough.wait(60)
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    assert locked.wait(60)
    try:
        single.score_waiting()
        assert row(attempt) == ("scoring", 0)
        assert not unsaved.try_again()
    finally:
        enough.set()
        holder.join()
        connection.close()
    blocked = BlockedBoard.objects.get()
    assert (blocked.code, len(blocked.holders)) == (outages.LOCKED, 1)
    assert unsaved.try_again()
    assert row(attempt)[0] == "scored"


@pytest.mark.django_db
def test_an_overfull_host_loses_workers(
    sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel kills sandboxes: the attempt is tried again, and ends as `worker_lost`."""
    attempt = submit(sprint, "atlas", elapsed_ms=900)

    def killed(*args: Any, **options: Any) -> None:
        raise HostOverfull

    monkeypatch.setattr(single, "outcomes", killed)
    for number in range(1, claims.MAX_DELIVERIES + 1):
        with pytest.raises(HostOverfull):
            single.score_waiting()
        assert row(attempt) == ("scoring", number)
        lose_workers()
    for _ in range(2):
        give_up_lost()
        lose_workers()
    assert Score.objects.get().error_code == "worker_lost"


HEAVY = 105
"""The facts of the attempt for which the host has no memory."""


def overfull(monkeypatch: pytest.MonkeyPatch, *heavy: int) -> None:
    """A host that has no memory for attempts with these facts."""

    def scored(
        config: ScoringConfig, attempts: Sequence[AttemptToScore], **options: Any
    ) -> Iterator[Outcome]:
        for attempt in attempts:
            if attempt.facts["elapsed_ms"] in heavy:
                raise HostOverfull
            yield NOTHING_TO_RUN._replace(value=attempt.facts["elapsed_ms"])

    monkeypatch.setattr(stateful, "outcomes", scored)
    monkeypatch.setattr(single, "outcomes", scored)


@pytest.mark.parametrize("heavy", [100, HEAVY, 119])
@pytest.mark.django_db
def test_an_overfull_host_fails_no_attempt_of_a_batch(
    heavy: int, sprint: Challenge, import_history: ImportHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All others are scored; it waits, and only it is given up in the end."""
    import_history(sprint, 20)
    overfull(monkeypatch, heavy)
    for _ in range(30):
        with suppress(HostOverfull):
            single.score_waiting()
        give_up_lost()
        lose_workers()
    assert not Attempt.objects.unfinished().exists()
    failed = Score.objects.exclude(error_code="")
    assert [*failed.values_list("error_code", "attempt__elapsed_ms")] == [("worker_lost", heavy)]


@pytest.mark.parametrize("heavy", [100, HEAVY, 119])
@pytest.mark.django_db
def test_an_overfull_host_fails_no_attempt_of_a_rescore(
    heavy: int, sprint: Challenge, import_history: ImportHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_history(sprint, 20)
    while single.score_next():
        pass
    config, _ = rescoring.start_rescore(sprint)
    scores = Score.objects.filter(config=config)
    with monkeypatch.context() as patched:
        overfull(patched, heavy)
        for _ in range(claims.MAX_DELIVERIES - 1):
            with pytest.raises(HostOverfull):
                rescoring.work_on(config.pk)
        assert not scores.exclude(error_code="").exists()
    if heavy == HEAVY:  # there is memory again
        rescoring.work_on(config.pk)
        assert not scores.exclude(error_code="").exists()
    else:
        overfull(monkeypatch, heavy)
        with pytest.raises(HostOverfull):
            rescoring.work_on(config.pk)
        rescoring.work_on(config.pk)
        assert scores.exclude(error_code="").values_list("attempt__elapsed_ms").get() == (heavy,)
    assert scores.count() == 20
    sprint.refresh_from_db()
    assert sprint.shown.pk == config.pk
