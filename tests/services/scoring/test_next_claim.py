"""Which attempt is claimed next: tenants take turns, and so do the participants of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import copy
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.rules.ids import uuid7
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt, submit_many
from leaderboard.services.attempts.waiting import SPACING, QueuePlaces, queue_time
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.operations.health import oldest_left, oldest_waiting
from leaderboard.services.scoring import single
from leaderboard.services.scoring.next_claim import claim_next, next_statement
from leaderboard.services.scoring.unfinished import Length
from tests.services.attempts.crowds import WAYS
from tests.services.conftest import Submit
from tests.services.threads import at_once
from tests.services.workers import claimed, lose_workers, next_claim

Make = Callable[[str], Challenge]


@pytest.fixture
def other(alice: User) -> Make:
    """Return a function that makes a challenge of another tenant."""

    def made(name: str) -> Challenge:
        tenant = Tenant.objects.create(slug=name, name=name)
        fields = {"name": f"Sprint of {name}", "scoring_strategy": "fastest"}
        return create_challenge(tenant=tenant, user=alice, fields=fields)

    return made


def names(count: int) -> list[str]:
    """Return the participants of the attempts that workers claim one after the other."""
    return [next_claim().attempt.participant.handle for _ in range(count)]


def test_a_tenant_waits_for_one_attempt_of_another(
    sprint: Challenge, other: Make, submit: Submit
) -> None:
    for _ in range(24):
        submit(sprint, "atlas", elapsed_ms=5)
    assert names(3) == ["atlas"] * 3
    submit(other("north"), "boreas", elapsed_ms=5)
    assert "boreas" in names(2)


def test_tenants_take_turns(sprint: Challenge, other: Make, submit: Submit) -> None:
    challenges = [sprint, *map(other, ("north", "south", "west"))]
    for number, challenge in enumerate(challenges):
        for _ in range(3 * number + 3):
            submit(challenge, "atlas", elapsed_ms=5)
    for _ in range(3):
        tenants = {next_claim().attempt.tenant_id for _ in challenges}
        assert tenants == {challenge.tenant_id for challenge in challenges}
    left = Counter(next_claim().attempt.tenant_id for _ in range(18))
    assert [left[challenge.tenant_id] for challenge in challenges] == [0, 3, 6, 9]
    assert claim_next("short") is None


def test_idle_tenants_do_not_hide_those_that_wait(
    sprint: Challenge, other: Make, submit: Submit
) -> None:
    """More tenants than the search begins with were served longer ago than the waiting ones."""
    Tenant.objects.bulk_create(Tenant(slug=f"t{at}", name=f"{at}") for at in range(60))
    challenges = [sprint, other("north")]
    for challenge in challenges:
        for at in range(3):
            submit(challenge, f"p{at}", elapsed_ms=5)
    Tenant.objects.filter(pk=sprint.tenant_id).update(served_at=Now())
    order = [next_claim().attempt.tenant_id for _ in range(6)]
    assert order == [challenges[1].tenant_id, challenges[0].tenant_id] * 3
    assert claim_next("short") is None


def test_participants_take_turns(sprint: Challenge, submit: Submit) -> None:
    for _ in range(6):
        submit(sprint, "atlas", elapsed_ms=5)
    for _ in range(3):
        submit(sprint, "boreas", elapsed_ms=5)
    submit(sprint, "cirrus", elapsed_ms=5)
    order = names(10)
    assert sorted(order[:3]) == ["atlas", "boreas", "cirrus"]
    assert order[3:] == ["atlas", "boreas", "atlas", "boreas", "atlas", "atlas", "atlas"]


def test_a_batch_does_not_bypass_the_turns_of_participants(
    sprint: Challenge, submit: Submit, alice: User
) -> None:
    news = [NewAttempt("atlas", {"elapsed_ms": at}) for at in range(20)]
    submit_many(challenge=sprint, user=alice, news=news)
    submit(sprint, "boreas", elapsed_ms=5)
    assert "boreas" in names(2)


def test_a_batch_of_many_participants_is_not_due_at_once(
    sprint: Challenge, submit: Submit, alice: User
) -> None:
    """As if its lines had arrived one after the other."""
    many = [f"p{at}" for at in range(200)]
    news = [NewAttempt(name, {"elapsed_ms": 5}) for name in many]
    submit_many(challenge=sprint, user=alice, news=news)
    submit(sprint, "boreas", elapsed_ms=5)
    order = names(150)
    assert "boreas" in order
    assert [name for name in order if name != "boreas"] == many[:149]


def test_each_attempt_of_a_participant_is_due_later(sprint: Challenge, submit: Submit) -> None:
    atlas = submit(sprint, "atlas", elapsed_ms=5).participant_id
    boreas = submit(sprint, "boreas", elapsed_ms=5).participant_id
    first, second, third, fourth = QueuePlaces(sprint.tenant_id).due_times(
        [atlas, boreas, atlas, 0]
    )
    due = Attempt.objects.get(participant=atlas).due_at
    assert (first, third) == (due + SPACING, due + 2 * SPACING)
    assert second == Attempt.objects.get(participant=boreas).due_at + SPACING
    assert fourth < first


def arrived_an_hour_earlier() -> None:
    Attempt.objects.update(
        queued_at=F("queued_at") - timedelta(hours=1), due_at=F("due_at") - timedelta(hours=1)
    )


def test_participants_take_turns_also_after_an_hour_without_workers(
    sprint: Challenge, submit: Submit
) -> None:
    """By then, everything that the first one sent has been due for long."""
    for _ in range(20):
        submit(sprint, "atlas", elapsed_ms=5)
    arrived_an_hour_earlier()
    submit(sprint, "cirrus", elapsed_ms=5)
    submit(sprint, "boreas", elapsed_ms=5)
    order = names(5)
    assert order.index("cirrus") < order.index("boreas") <= 3


@pytest.mark.parametrize("instances", [None, 9])
def test_short_and_long_attempts_have_times_of_their_own(
    sprint: Challenge, submit: Submit, instances: int | None
) -> None:
    submit(sprint, "atlas", elapsed_ms=5)
    Attempt.objects.update(instance_count=instances)
    arrived_an_hour_earlier()
    short, long = QueuePlaces(sprint.tenant_id).due_times([-1, -2], long={1})
    assert (short < long) == (instances is None)
    assert abs(long - short) > timedelta(minutes=59)


def test_a_stream_of_new_participants_delays_no_second_attempt_for_ever(
    sprint: Challenge, submit: Submit
) -> None:
    for _ in range(4):
        submit(sprint, "atlas", elapsed_ms=5)
    arrived_an_hour_earlier()
    order: list[str] = []
    for at in range(20):
        submit(sprint, f"one{at}", elapsed_ms=5)
        submit(sprint, f"two{at}", elapsed_ms=5)
        order += names(1)
    assert order.count("atlas") == 4


def test_the_time_of_a_queue_never_stands_still() -> None:
    first = datetime(2026, 1, 1, tzinfo=UTC)
    now = [first + timedelta(seconds=at) for at in (-5, 0, 5, 10, 11, 12, 600, 601, 86_400)]
    times = [queue_time(moment, first) for moment in now]
    assert times == sorted(set(times))
    assert times[:4] == now[:4] == [queue_time(moment, None) for moment in now[:4]]
    assert times[-1] < first + 10 * SPACING


def test_one_statement_computes_due_times_for_any_number(sprint: Challenge, submit: Submit) -> None:
    ids = [submit(sprint, f"p{at}", elapsed_ms=5).participant_id for at in range(20)]
    with CaptureQueriesContext(connection) as queries:
        assert len(QueuePlaces(sprint.tenant_id).due_times(ids * 3)) == 60
    assert len(queries) == 1


def test_times_set_by_an_organiser_do_not_change_the_due_time(
    sprint: Challenge, alice: User
) -> None:
    """Organisers import history, which waits behind new attempts."""
    past = datetime(2001, 1, 1, tzinfo=UTC)
    old = NewAttempt("history", {"elapsed_ms": 5}, submitted_at=past)
    submit_attempt(challenge=sprint, user=alice, new=old, organiser=True)
    news = [NewAttempt(f"past{at}", {"elapsed_ms": 5}) for at in range(3)]
    submit_many(challenge=sprint, user=alice, news=news, organiser=True)
    submit_attempt(challenge=sprint, user=alice, new=NewAttempt("fresh", {"elapsed_ms": 5}))
    assert names(5) == ["fresh", "history", "past0", "past1", "past2"]


def test_an_attempt_whose_worker_died_keeps_its_place(sprint: Challenge, submit: Submit) -> None:
    first = submit(sprint, "atlas", elapsed_ms=5)
    for at in range(20):
        submit(sprint, f"p{at}", elapsed_ms=5)
    assert next_claim().attempt == first
    lose_workers()
    again = next_claim().attempt
    assert (again, again.deliveries) == (first, 2)


def test_an_attempt_that_lost_too_many_workers_does_not_block_others(
    sprint: Challenge, submit: Submit
) -> None:
    poison = submit(sprint, "atlas", elapsed_ms=5)
    submit(sprint, "boreas", elapsed_ms=5)
    Attempt.objects.filter(pk=poison.pk).update(
        status="scoring", deliveries=3, lease_until=Now() - timedelta(seconds=1)
    )
    assert names(1) == ["boreas"]
    assert claim_next("short") is None


def test_a_notification_is_for_the_next_attempt(sprint: Challenge, submit: Submit) -> None:
    first, _, _ = [submit(sprint, "atlas", elapsed_ms=at) for at in range(3)]
    assert single.score_next()
    first.refresh_from_db()
    assert first.status == "scored"
    assert [single.score_next() for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize(("samples", "instances"), [(None, None), (400, None), (400, 3)])
def test_the_next_attempt_is_claimed_like_a_given_one(
    sprint: Challenge, other: Make, submit: Submit, samples: int | None, instances: int | None
) -> None:
    """The lease is as long, and other challenges have other limits."""
    fields = {**WAYS["custom"], "name": "Slow", "timeout_ms": 30_000}
    slow = create_challenge(tenant=sprint.tenant, user=None, fields=fields)
    submit(other("north"), "boreas", elapsed_ms=5)
    first, second = submit(slow, "atlas", elapsed_ms=5), submit(slow, "borea", elapsed_ms=5)
    Tenant.objects.exclude(pk=sprint.tenant_id).update(served_at=Now())
    ids = [first.pk, second.pk]
    Attempt.objects.filter(pk__in=ids).update(sample_count=samples, instance_count=instances)
    before = timezone.now()
    claims = [claimed(first), next_claim("short" if instances is None else "long")]
    spent = timezone.now() - before
    assert [claim.attempt.pk for claim in claims] == ids
    leases = []
    for claim in claims:
        assert claim.attempt.status == Attempt.Status.SCORING
        assert claim.attempt.deliveries == 1
        assert claim.attempt.lease_token == claim.token
        assert claim.attempt.lease_until is not None
        leases.append(claim.attempt.lease_until)
    rounding = timedelta(milliseconds=2)  # SQLite's clock counts milliseconds
    assert timedelta(0) <= leases[1] - leases[0] <= spent + rounding
    sprint.tenant.refresh_from_db()
    assert sprint.tenant.served_at is not None


def test_long_attempts_have_a_separate_queue(sprint: Challenge, submit: Submit) -> None:
    long = submit(sprint, "atlas", elapsed_ms=5)
    Attempt.objects.filter(pk=long.pk).update(instance_count=9)
    short = submit(sprint, "boreas", elapsed_ms=5)
    assert next_claim("long").attempt == long
    assert next_claim("short").attempt == short


def test_held_attempts_keep_their_places(sprint: Challenge, submit: Submit) -> None:
    first = submit(sprint, "atlas", elapsed_ms=5)
    submit(sprint, "boreas", elapsed_ms=5)
    claimed(first).hold()
    assert names(1) == ["boreas"]
    assert claim_next("short") is None
    assert Attempt.objects.held().get() == first


@pytest.mark.django_db(transaction=True)
def test_concurrent_workers_claim_different_attempts(
    sprint: Challenge, other: Make, submit: Submit
) -> None:
    for challenge in (sprint, other("north")):
        for at in range(20):
            submit(challenge, f"p{at % 7}", elapsed_ms=at)

    def work() -> list[object]:
        claims = (claim_next("short") for _ in range(20))
        return [claim.attempt.pk for claim in claims if claim]

    claimed_ids = [pk for piece in at_once([work] * 4) for pk in piece]
    assert len(claimed_ids) == len(set(claimed_ids)) == 40


@pytest.fixture
def busy(sprint: Challenge, submit: Submit) -> None:
    """Some attempts of each kind wait, thousands are finished, and the planner knows."""
    attempt = Attempt.objects.get(pk=submit(sprint, "atlas", elapsed_ms=5).pk)
    statuses = ["queued"] * 300 + ["scored"] * 4000
    rows = []
    for at, status in enumerate(statuses):
        attempt.pk, attempt.status = uuid7(), status
        attempt.instance_count = 9 if at % 2 else None
        rows.append(copy(attempt))
    Attempt.objects.bulk_create(rows, batch_size=500)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE leaderboard_attempt")


def explained(statement: str) -> str:
    explain = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
    with connection.cursor() as cursor:
        cursor.execute(f"{explain} {statement}", [])
        return "\n".join(str(row[-1]) for row in cursor.fetchall())


@pytest.mark.usefixtures("busy")
def test_the_queue_is_read_by_indexes(sprint: Challenge) -> None:
    """A plan that reads the table would read every attempt there ever was."""
    lengths: tuple[Length, ...] = ("short", "long")
    for length in lengths:
        plan = explained(next_statement(length))
        assert plan.count(f"attempts_{length}") >= 2, plan
        assert reads_the_table(plan) == []
    participants = list(Attempt.objects.values_list("participant", flat=True)[:1])
    with CaptureQueriesContext(connection) as queries:
        QueuePlaces(sprint.tenant_id, is_limited=True).due_times(participants)
    [statement] = [query["sql"] for query in queries]
    plan = explained(statement.replace("%", "%%"))
    assert all(f"attempts_{length}" in plan for length in lengths), plan
    assert reads_the_table(plan) == []
    # Each worker runs these every few seconds.
    indexes: dict[str, tuple[AttemptQuerySet, str]] = {
        "waiting": (oldest_waiting()[:1], "attempts_by_age"),
        "left": (oldest_left()[:1], "attempts_leased"),
        "queued": (Attempt.objects.queued(), "attempts_"),
        "held": (Attempt.objects.held(), "attempts_held"),
        "released": (Attempt.objects.released(), "attempts_leased"),
        "overdue": (Attempt.objects.overdue(), "attempts_leased"),
    }
    for name, (attempts, index) in indexes.items():
        plan = attempts.values("pk").explain()
        assert index in plan, name
        assert reads_the_table(plan) == [], name


def reads_the_table(plan: str) -> list[str]:
    """Return the steps of a plan that read the whole table of attempts instead of an index."""
    steps = [line.strip() for line in plan.splitlines()]
    return [
        step
        for step in steps
        if "Seq Scan on leaderboard_attempt" in step
        or ("SCAN leaderboard_attempt" in step and "INDEX" not in step)
    ]
