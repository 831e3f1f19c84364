"""Each attempt of a participant counts towards the limits of its phase, exactly."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, Grant, Participant, Phase, QuotaUse, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.competition.quotas.recount import verify_quotas
from leaderboard.services.scoring import single
from leaderboard.services.scoring.attempt_actions import cancel_attempt
from tests.services.competition.moments import CLOSES, NOON, At, take_names
from tests.services.refusals import refusal
from tests.services.threads import at_once

pytestmark = pytest.mark.django_db


def used() -> dict[str, int]:
    """The counters by kind and period."""
    rows = QuotaUse.objects.values_list("kind", "period", "used")
    return {f"{kind} {period}".strip(): number for kind, period, number in rows}


@pytest.fixture
def limits(phase: Phase) -> Phase:
    """Two attempts a day and three a week."""
    phase.per_day, phase.per_week = 2, 3
    phase.save()
    return phase


def test_a_phase_without_limits_counts_nothing(phase: Phase, submit_at: At) -> None:
    assert submit_at(NOON).charged_day == NOON.date()
    assert used() == {}


def test_attempts_count_until_a_limit_is_reached(limits: Phase, submit_at: At) -> None:
    for _ in range(2):
        submit_at(NOON)
    full = refusal(lambda: submit_at(NOON))
    assert (full.code, full.retry_after) == ("quota", 12 * 3600)
    assert full.facts == {
        "quota": "per_day",
        "limit": 2,
        "used": 2,
        "next_at": "2026-03-05T00:00:00Z",
    }
    assert used() == {"day 2026-03-04": 2, "week 2026-W10": 2}
    assert Attempt.objects.count() == 2


def test_the_error_names_the_exhausted_limit_that_lasts_longest(
    limits: Phase, submit_at: At
) -> None:
    for day in (0, 0, 1):
        submit_at(NOON + timedelta(days=day))
    full = refusal(lambda: submit_at(NOON + timedelta(days=1)))
    # The phase closes on Monday morning: the next week begins before that.
    assert full.facts == {
        "quota": "per_week",
        "limit": 3,
        "used": 3,
        "next_at": "2026-03-09T00:00:00Z",
    }
    assert submit_at(CLOSES - timedelta(hours=1)).phase == limits


def test_a_total_has_no_next_time(phase: Phase, submit_at: At) -> None:
    Phase.objects.update(total=1)
    submit_at(NOON)
    full = refusal(lambda: submit_at(NOON + timedelta(days=1)))
    assert full.facts == {"quota": "total", "limit": 1, "used": 1, "next_at": None}
    assert full.retry_after is None


def test_days_begin_at_midnight_in_the_zone_of_the_phase(phase: Phase, submit_at: At) -> None:
    Phase.objects.update(per_day=1, time_zone="Europe/Berlin", opens_at=None, closes_at=None)
    before_spring = datetime(2026, 3, 28, 23, 30, tzinfo=UTC)  # 00:30 on the 29th, a day of 23 h
    assert submit_at(before_spring).charged_day == datetime(2026, 3, 29).date()  # noqa: DTZ001
    full = refusal(lambda: submit_at(before_spring))
    assert full.facts["next_at"] == "2026-03-29T22:00:00Z"
    submit_at(datetime(2026, 3, 29, 22, tzinfo=UTC))


def test_a_midnight_that_does_not_exist_is_the_first_moment_of_the_day(
    phase: Phase, submit_at: At
) -> None:
    Phase.objects.update(per_day=1, time_zone="Africa/Cairo", opens_at=None, closes_at=None)
    evening = datetime(2026, 4, 23, 20, tzinfo=UTC)
    submit_at(evening)
    full = refusal(lambda: submit_at(evening))
    assert full.facts["next_at"] == "2026-04-23T22:00:00Z"
    assert (
        submit_at(datetime(2026, 4, 23, 22, tzinfo=UTC)).charged_day
        == datetime(2026, 4, 24, tzinfo=UTC).date()
    )


def test_the_attempts_of_organisers_do_not_count(limits: Phase, submit_at: At) -> None:
    for _ in range(3):
        assert submit_at(NOON, organiser=True).charged_day is None
    assert used() == {}
    submit_at(NOON)


def test_waiting_attempts_are_limited(phase: Phase, submit_at: At) -> None:
    Phase.objects.update(at_once=1)
    first = submit_at(NOON)
    full = refusal(lambda: submit_at(NOON))
    assert full.facts == {"quota": "at_once", "limit": 1, "used": 1, "next_at": None}
    single.score_attempt(first.pk)
    submit_at(NOON)


def test_a_bulk_takes_what_is_left_in_order(
    sprint: Challenge, limits: Phase, submit_at: At, bob: User
) -> None:
    Phase.objects.update(limits_per="name")
    take_names(sprint, bob, "atlas", "bravo")
    submit_at(NOON, "bravo")
    names = ("bravo", "atlas", "bravo", "atlas", "atlas", "atlas")
    bulk = submit_many(
        challenge=sprint, user=bob, news=[NewAttempt(name) for name in names], received_at=NOON
    )
    assert [(at, error.code) for at, error in bulk.rejected] == [
        (2, "quota"),
        (4, "quota"),
        (5, "quota"),
    ]
    assert [error.facts["used"] for _, error in bulk.rejected] == [2, 2, 2]
    assert len(bulk.accepted) == 3
    counts = QuotaUse.objects.filter(kind="day").values_list("participant__handle", "used")
    assert dict(counts) == {"atlas": 2, "bravo": 2}


def test_a_bulk_of_all_or_nothing_counts_nothing_if_it_is_refused(
    sprint: Challenge, limits: Phase, bob: User
) -> None:
    news = [NewAttempt("atlas")] * 3
    bulk = submit_many(challenge=sprint, user=bob, news=news, atomic=True, received_at=NOON)
    assert (len(bulk.accepted), len(bulk.rejected)) == (0, 1)
    assert set(used().values()) <= {0}
    assert Attempt.objects.count() == 0


def test_a_bulk_respects_what_waits(sprint: Challenge, phase: Phase, bob: User) -> None:
    Phase.objects.update(at_once=2)
    news = [NewAttempt("atlas")] * 3
    bulk = submit_many(challenge=sprint, user=bob, news=news, received_at=NOON)
    ((position, error),) = bulk.rejected
    assert (position, error.facts["quota"], error.facts["used"]) == (2, "at_once", 2)


def test_grants_add_attempts_until_their_end(
    limits: Phase, submit_at: At, sprint: Challenge, bob: User
) -> None:
    for _ in range(2):
        submit_at(NOON)
    atlas = Participant.objects.get(handle="atlas")
    end = NOON + timedelta(hours=1)
    Grant.objects.create(phase=limits, participant=atlas, extra=1, until=end, reason="ill")
    assert refusal(lambda: submit_at(end)).facts["limit"] == 2
    submit_at(end - timedelta(seconds=1))
    assert refusal(lambda: submit_at(NOON)).facts["limit"] == 3
    Grant.objects.create(phase=limits, participant=atlas, extra=2, reason="the server was down")
    bulk = submit_many(challenge=sprint, user=bob, news=[NewAttempt("atlas")] * 3, received_at=NOON)
    assert (len(bulk.accepted), len(bulk.rejected)) == (2, 1)


@pytest.mark.parametrize("name", ["atlas", "borealis"])
def test_a_wrong_line_of_a_new_name_refuses_no_other_line(
    limits: Phase, sprint: Challenge, bob: User, name: str
) -> None:
    wrong = NewAttempt("atlas", samples=[Sample("task", 0, {"reward": 1.0})] * 2)
    news = [wrong, NewAttempt(name), NewAttempt(name), NewAttempt("another")]
    bulk = submit_many(challenge=sprint, user=bob, news=news, received_at=NOON)
    assert [position for position, _ in bulk.rejected] == [0, 3]
    assert "under another name" in bulk.rejected[1][1].message


def test_of_two_names_from_elsewhere_one_may_take_part(
    limits: Phase, sprint: Challenge, bob: User
) -> None:
    for name in ("atlas", "borealis"):
        Participant.objects.create(
            tenant=sprint.tenant, handle=name, handle_key=name, slug=name, owner=bob
        )
    news = [NewAttempt(name) for name in ("atlas", "borealis", "atlas")]
    bulk = submit_many(challenge=sprint, user=bob, news=news, received_at=NOON)
    assert [position for position, _ in bulk.rejected] == [1]


def test_a_second_name_is_no_second_quota(limits: Phase, submit_at: At) -> None:
    submit_at(NOON, "atlas")
    full = refusal(lambda: submit_at(NOON, "borealis"))
    assert full.code == "not_registered"
    assert "under another name" in full.message
    assert used() == {"day 2026-03-04": 1, "week 2026-W10": 1}
    assert submit_at(NOON, "atlas").participant.handle == "atlas"


def test_names_from_before_the_limits_stay(phase: Phase, submit_at: At) -> None:
    for name in ("atlas", "borealis"):
        submit_at(NOON, name)
    phase.per_day = 1
    phase.save()
    for days, name in enumerate(("atlas", "borealis"), start=1):
        submit_at(NOON + timedelta(days=days), name)
    assert refusal(lambda: submit_at(NOON, "cirrus")).code == "not_registered"


@pytest.mark.django_db(transaction=True)
def test_submitting_and_cancelling_at_once_is_no_conflict(
    limits: Phase, submit_at: At, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody locks the challenge before the counters, so nobody waits for each other."""
    limits.per_day = limits.per_week = 1000
    limits.opens_at = limits.closes_at = None
    limits.save()
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time")
    conflicts: list[float] = []
    monkeypatch.setattr("leaderboard.services.transactions.sleep", conflicts.append)

    def work() -> None:
        for _ in range(15):
            cancel_attempt(submit_at(timezone.now(), "atlas"))

    submit_at(timezone.now(), "atlas")
    at_once([work] * 4)
    assert conflicts == []
    assert verify_quotas(limits.challenge) == []
