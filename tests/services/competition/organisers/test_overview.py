"""What an organiser sees of the last days, of what waits, and of used limits."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Attempt, Challenge, Grant, Participant, Score, User
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.organisers import overview as module
from leaderboard.services.competition.organisers.overview import overview
from tests.services.competition.moments import At, take_names

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def counted_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS_KEPT", 0)


def limit(challenge: Challenge, user: User, **fields: Any) -> None:
    phase = {"slug": "main", "limits_per": "name", **fields}
    change_challenge(challenge, user=user, fields={"phases": [phase]})


def at(attempt: Attempt, moment: str) -> Attempt:
    Attempt.objects.filter(pk=attempt.pk).update(submitted_at=datetime.fromisoformat(moment))
    return attempt


def failed(attempt: Attempt, code: str) -> None:
    Attempt.objects.filter(pk=attempt.pk).update(status=Attempt.Status.FAILED)
    Score.objects.create(attempt=attempt, config=attempt.scoring_config, error_code=code)


def test_days_are_those_of_the_phase(
    sprint: Challenge, alice: User, submit_at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The 29th of March has 23 hours in Berlin."""
    for moment in ("2026-03-28T23:30Z", "2026-03-29T01:30Z", "2026-03-30T00:30Z"):
        at(submit_at(received_now()), moment)
    now = datetime.fromisoformat("2026-03-30T13:00Z")
    monkeypatch.setattr(module, "received_now", lambda: now)
    zones = {
        "UTC": {date(2026, 3, 28): 1, date(2026, 3, 29): 1, date(2026, 3, 30): 1},
        "Europe/Berlin": {date(2026, 3, 29): 2, date(2026, 3, 30): 1},
        "Etc/GMT+12": {date(2026, 3, 28): 2, date(2026, 3, 29): 1},
    }
    for zone, expected in zones.items():
        limit(sprint, alice, time_zone=zone)
        days = overview(sprint).last.days
        assert (len(days), days[-1].day) == (30, date(2026, 3, 30)), zone
        assert {day.day: day.attempts for day in days if day.attempts} == expected, zone
        assert max(day.participants for day in days) == 1, zone


def test_failures_are_counted_by_code_with_the_newest(sprint: Challenge, submit_at: At) -> None:
    now = received_now()
    attempts = [submit_at(now) for _ in range(6)]
    for attempt in attempts[:4]:
        failed(attempt, "timeout")
    failed(attempts[4], "exception")
    failed(at(attempts[5], (now - timedelta(days=40)).isoformat()), "exception")
    first, second = overview(sprint).last.failures
    assert (first.code, first.attempts, len(first.newest)) == ("timeout", 4, 3)
    assert first.newest[0].attempt == attempts[3].pk
    assert (second.code, second.attempts) == ("exception", 1)


def test_the_last_days_are_counted_once_a_minute(
    sprint: Challenge, submit_at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECONDS_KEPT", 60)
    failed(submit_at(received_now()), "timeout")
    first = overview(sprint).last
    submit_at(received_now())
    assert overview(sprint).last == first
    cache.clear()
    assert overview(sprint).last.days[-1].attempts == 2


def test_waiting_attempts_are_counted_by_status(sprint: Challenge, submit_at: At) -> None:
    attempts = [submit_at(received_now()) for _ in range(3)]
    Attempt.objects.filter(pk=attempts[0].pk).update(status="held")
    Attempt.objects.filter(pk=attempts[1].pk).update(status="scoring")
    waiting = overview(sprint).waiting
    assert (waiting.queued, waiting.scoring, waiting.held) == (1, 1, 1)
    assert waiting.since is not None
    assert waiting.registrations == 0


def test_a_grant_moves_the_limit(sprint: Challenge, alice: User, submit_at: At) -> None:
    limit(sprint, alice, per_day=1, total=5, at_once=9)
    submit_at(received_now())
    (full,) = overview(sprint).at_limit
    assert (full.quota, full.used, full.limit) == ("per_day", 1, 1)
    phase, participant = sprint.phases.get(), Participant.objects.get()
    Grant.objects.create(phase=phase, participant=participant, extra=1)
    assert overview(sprint).at_limit == []


def test_all_are_counted_and_the_first_are_named(
    sprint: Challenge, alice: User, bob: User, submit_at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.services.competition.organisers.overview.MOST_FULL", 2)
    take_names(sprint, bob, "atlas", "comet", "delta", "echo")
    limit(sprint, alice, per_day=1, total=3)
    for name in ("atlas", "comet", "delta", "echo"):
        submit_at(received_now(), participant=name)
    phase, comet = sprint.phases.get(), Participant.objects.get(handle="comet")
    for extra in (1, 2):
        Grant.objects.create(phase=phase, participant=comet, extra=extra)
    summary = overview(sprint)
    assert [participant.slug for participant in summary.at_limit] == ["atlas", "delta"]
    assert summary.full == 3


def test_a_hundred_participants_take_as_many_statements_as_one(
    sprint: Challenge, alice: User, bob: User, submit_at: At
) -> None:
    take_names(sprint, bob, "atlas", *(f"r{number}" for number in range(20)))
    limit(sprint, alice, per_day=1)

    def statements() -> int:
        with CaptureQueriesContext(connection) as queries:
            overview(sprint)
        return len(queries)

    submit_at(received_now())
    statements_of_one = statements()
    for number in range(20):
        failed(submit_at(received_now(), participant=f"r{number}"), "timeout")
    summary = overview(sprint)
    assert len(summary.at_limit) == summary.full == 21
    assert statements() == statements_of_one <= 9
