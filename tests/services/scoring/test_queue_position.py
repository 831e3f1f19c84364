"""The queue position of an attempt, its expected start, and the notice of delayed scoring."""

from __future__ import annotations

from datetime import timedelta
from threading import Event

import pytest
from django.core.cache import cache
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.models import Attempt, Challenge, Tenant, User, Worker
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.operations import status, workers
from leaderboard.services.scoring import queue_position, rate, single, sweeper
from leaderboard.services.scoring.attempt_actions import act
from leaderboard.services.scoring.next_claim import claim_next
from leaderboard.services.scoring.queue_position import QueuePosition, place_of
from leaderboard.services.scoring.rate import scoring_delay, scoring_rate, state_and_delay
from tests.services.conftest import Submit
from tests.services.workers import next_claim


def place(attempt: Attempt) -> QueuePosition:
    queue_place = place_of(Attempt.objects.get(pk=attempt.pk))
    assert queue_place is not None
    return queue_place


def served(challenge: Challenge) -> None:
    """As if a worker had just taken an attempt of the challenge's tenant."""
    Tenant.objects.filter(pk=challenge.tenant_id).update(served_at=timezone.now())


def test_a_position_counts_the_attempts_of_the_same_tenant(
    sprint: Challenge, submit: Submit
) -> None:
    first, second = (submit(sprint, "atlas", elapsed_ms=at) for at in range(2))
    third = submit(sprint, "boreas", elapsed_ms=5)
    assert place(first) == QueuePosition(1, 0, False, None)
    assert place(third) == QueuePosition(2, 1, False, None), "participants take turns"
    assert place(second) == QueuePosition(3, 2, False, None)


def test_the_position_counts_as_many_turns_of_other_tenants(
    sprint: Challenge, north: Challenge, submit: Submit
) -> None:
    for _ in range(5):
        submit(north, "boreas", elapsed_ms=5)
    first, second = (submit(sprint, "atlas", elapsed_ms=at) for at in range(2))
    assert (place(first)[:2], place(second)[:2]) == ((1, 0), (2, 2)), "the older tenant begins"
    served(sprint)
    assert (place(first)[:2], place(second)[:2]) == ((1, 1), (2, 3))
    served(north)
    assert (place(first)[:2], place(second)[:2]) == ((1, 0), (2, 2))


def test_positions_are_in_the_order_of_claims(
    sprint: Challenge, north: Challenge, submit: Submit, alice: User
) -> None:
    waiting = [submit(sprint, f"p{at % 3}", elapsed_ms=at) for at in range(9)]
    waiting += [submit(north, f"p{at % 2}", elapsed_ms=at) for at in range(4)]
    news = [NewAttempt("past", {"elapsed_ms": at}) for at in range(3)]
    history = submit_many(challenge=sprint, user=alice, news=news, organiser=True).accepted
    waiting += list(Attempt.objects.filter(pk__in=[attempt.pk for attempt in history]))
    ahead = {attempt.pk: place(attempt).ahead for attempt in waiting}
    for place_in_line in range(len(waiting)):
        assert ahead[next_claim().attempt.pk] == place_in_line


def test_a_tenant_that_waits_longest_is_before_all_others(
    sprint: Challenge, submit: Submit, alice: User
) -> None:
    for number in range(12):
        tenant = Tenant.objects.create(slug=f"t{number}", name=f"T {number}")
        fields = {"name": f"C {number}", "scoring_strategy": "fastest"}
        challenge = create_challenge(tenant=tenant, user=alice, fields=fields)
        for _ in range(2):
            submit(challenge, "boreas", elapsed_ms=5)
        if number % 3:
            served(challenge)
    served(sprint)
    waiting = [submit(sprint, "atlas", elapsed_ms=at) for at in range(2)]
    for challenge in Challenge.objects.filter(slug__in=["c-1", "c-2"]):
        served(challenge)
    assert [place(attempt).ahead for attempt in waiting] == [10, 23]
    ahead = {attempt.pk: place(attempt).ahead for attempt in Attempt.objects.all()}
    for place_in_line in range(len(ahead)):
        assert ahead[next_claim().attempt.pk] == place_in_line


def test_claimed_attempts_are_not_ahead(sprint: Challenge, submit: Submit) -> None:
    first, second = submit(sprint, "atlas"), submit(sprint, "boreas")
    assert claim_next("short")
    assert place(second)[:2] == (1, 0)
    first.refresh_from_db()
    assert place_of(first) is None


def test_the_count_of_attempts_ahead_is_limited(
    sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue_position, "MOST", 3)
    waiting = [submit(sprint, f"p{at}") for at in range(6)]
    assert place(waiting[2])[:3] == (3, 2, False)
    assert place(waiting[5])[:3] == (4, 3, True)


def test_the_expected_start_uses_the_rate_of_the_last_minutes(
    sprint: Challenge, submit: Submit
) -> None:
    done = [submit(sprint, f"p{at}") for at in range(4)]
    waiting = [submit(sprint, f"q{at}") for at in range(3)]
    assert scoring_rate(long=False) == 0.0
    for attempt in done:
        assert single.score_attempt(attempt.pk)
    Attempt.objects.filter(pk=waiting[0].pk).update(queued_at=Now() - timedelta(seconds=20))
    cache.clear()
    assert scoring_rate(long=False) == pytest.approx(4 / 20, rel=0.2)
    assert place(waiting[2]).expected_start is None, "no worker runs"
    workers.record_alive()
    cache.clear()
    start = place(waiting[2]).expected_start
    assert start is not None
    assert start - timezone.now() < timedelta(seconds=2 / 0.15)
    assert start > timezone.now()


def test_the_rest_of_an_attempt_that_is_being_scored_is_waited_for(
    sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue_position, "scoring_rate", lambda **_: 0.01)
    workers.record_alive()
    waiting = [submit(sprint, f"p{at}") for at in range(4)]
    for running in range(3):
        start = place(waiting[3]).expected_start
        assert start is not None
        ahead = 3 - running + running / (running + 1)
        assert (start - timezone.now()).total_seconds() == pytest.approx(100 * ahead, abs=20)
        assert claim_next("short")


def test_cancelled_attempts_do_not_count_towards_the_rate(
    sprint: Challenge, submit: Submit, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate, "SHORTEST", timedelta(seconds=300))
    done, *cancelled, _ = [submit(sprint, f"p{at}") for at in range(5)]
    assert single.score_attempt(done.pk)
    for attempt in cancelled:
        act(attempt, "cancel", user=alice, organiser=False)
    assert scoring_rate(long=False) == pytest.approx(1 / 300)


def test_a_board_of_several_phases_is_read_with_the_delay(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    tenant = Tenant.objects.create(slug="south", name="South")
    phases = [
        {"name": "First", "slug": "first"},
        {"name": "Second", "slug": "second", "overlaps": True},
    ]
    fields = {"name": "South", "scoring_strategy": "fastest", "phases": phases}
    south = create_challenge(tenant=tenant, user=alice, fields=fields)
    assert state_and_delay(south.slug) is None
    with django_assert_num_queries(0):
        assert scoring_delay() == (0.0, False)


def test_scoring_is_delayed_without_workers_or_after_a_long_wait(
    sprint: Challenge, submit: Submit
) -> None:
    assert scoring_delay() == (0.0, False), "whatever is submitted now waits"
    Worker.objects.create(name="here:1:1", version="1")
    cache.clear()
    assert scoring_delay() is None
    waiting = submit(sprint, "atlas")
    cache.clear()
    assert scoring_delay() is None
    Attempt.objects.filter(pk=waiting.pk).update(queued_at=Now() - timedelta(minutes=2))
    cache.clear()
    delay = scoring_delay()
    assert delay is not None
    assert delay.works
    assert 119 < delay.seconds < 600


def test_pages_and_status_agree_on_a_delay(sprint: Challenge, submit: Submit) -> None:
    def check(case: object) -> None:
        cache.clear()
        status.forget_status()
        assert (scoring_delay() is None) == (status.status().state == "ok"), case

    for worker in (False, True):
        if worker:
            workers.record_alive()
        Attempt.objects.all().delete()
        check((worker, 0))
        submit(sprint, "atlas")
        for waits in (5, 30, 70):
            Attempt.objects.update(queued_at=Now() - timedelta(seconds=waits))
            check((worker, waits))


@pytest.mark.django_db(transaction=True)
def test_a_starting_worker_ends_the_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    assert scoring_delay() is not None
    stop = Event()
    monkeypatch.setattr(sweeper, "sweep", stop.set)
    monkeypatch.setattr(workers, "remove_own_row", lambda: None)
    sweeper.keep_sweeping(stop, 0.001)
    assert scoring_delay() is None


def test_waiting_history_is_no_delay(sprint: Challenge, alice: User) -> None:
    news = [NewAttempt("past", {"elapsed_ms": at}) for at in range(3)]
    submit_many(challenge=sprint, user=alice, news=news, organiser=True)
    Attempt.objects.update(queued_at=Now() - timedelta(hours=2))
    workers.record_alive()
    assert scoring_delay() is None


@pytest.mark.django_db
def test_queue_positions_are_read_from_indexes() -> None:
    """Every page of a waiting attempt asks for it each second."""
    fresh = Attempt.objects.queued().filter(priority=0)
    ended = Attempt.objects.filter(finished_at__gt=Now() - timedelta(minutes=5))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # What an almost empty table is best read by depends on when it was last analysed.
            for way in ("seqscan", "bitmapscan", "sort"):
                cursor.execute(f"SET LOCAL enable_{way} = off")
            # Read as a whole, it is no larger than the other index of an empty table.
            cursor.execute("DROP INDEX attempts_finished")
    assert "attempts_by_age" in fresh.order_by("queued_at").values("pk").explain()
    assert "attempts_by_end" in ended.values("pk").explain()


def test_history_has_a_rate_of_its_own(sprint: Challenge, submit: Submit, alice: User) -> None:
    """History waits for all fresh attempts, and is scored in batches."""
    news = [NewAttempt("past", {"elapsed_ms": at}) for at in range(40)]
    submit_many(challenge=sprint, user=alice, news=news, organiser=True)
    assert single.score_next()
    submit_many(challenge=sprint, user=alice, news=news, organiser=True)
    waiting = Attempt.objects.queued()
    waiting.update(queued_at=Now() - timedelta(seconds=200))
    workers.record_alive()
    assert scoring_rate(long=False) == 0.0
    assert scoring_rate(long=False, priority=Attempt.Priority.HISTORY) == pytest.approx(
        0.2, rel=0.2
    )
    start = place(waiting.order_by("due_at")[20]).expected_start
    assert start is not None
    assert timezone.now() < start < timezone.now() + timedelta(seconds=20 / 0.15)
