"""Attempts are admitted while a phase is open, by the moment at which they were received."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, Phase, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt, submit_many
from leaderboard.services.competition.clock import received_now
from leaderboard.services.scoring import single
from tests.services.competition.moments import CLOSES, INSTANT, NOON, OPENS, At
from tests.services.refusals import refusal

pytestmark = pytest.mark.django_db


def test_a_challenge_without_phases_of_its_own_is_always_open(
    sprint: Challenge, submit_at: At
) -> None:
    (only,) = sprint.phases.all()
    assert not only.has_limits
    assert submit_at(NOON).phase == submit_at(NOON + timedelta(days=9999)).phase == only


def test_a_phase_begins_with_its_first_moment(phase: Phase, submit_at: At) -> None:
    early = refusal(lambda: submit_at(OPENS - INSTANT))
    assert (early.code, early.facts) == ("not_open", {"opens_at": "2026-03-02T09:00:00Z"})
    assert submit_at(OPENS).submitted_at == OPENS
    assert Attempt.objects.count() == 1


def test_a_phase_ends_just_before_its_last_moment(phase: Phase, submit_at: At) -> None:
    assert submit_at(CLOSES - INSTANT).phase == phase
    late = refusal(lambda: submit_at(CLOSES))
    assert (late.code, late.facts) == ("closed", {"closed_at": "2026-03-09T09:00:00Z"})


def test_a_grace_takes_attempts_that_arrive_somewhat_later(
    sprint: Challenge, phase: Phase, submit_at: At
) -> None:
    sprint.phases.update(grace_seconds=30)
    end = CLOSES + timedelta(seconds=30)
    assert submit_at(end - INSTANT).submitted_at == end - INSTANT
    assert refusal(lambda: submit_at(end)).facts == {"closed_at": "2026-03-09T09:00:00Z"}
    phase.refresh_from_db()
    assert [phase.has_ended(at) for at in (CLOSES, end - INSTANT, end)] == [False, False, True]


def test_in_the_grace_the_next_phase_comes_first(
    sprint: Challenge, phase: Phase, bob: User, submit_at: At
) -> None:
    final = sprint.phases.create(slug="final", position=1, opens_at=CLOSES)
    Phase.objects.filter(pk=phase.pk).update(grace_seconds=30)
    assert submit_at(CLOSES).phase == final
    named = NewAttempt("atlas", phase=phase.slug)
    assert (
        submit_attempt(challenge=sprint, user=bob, new=named, received_at=CLOSES)[0].phase == phase
    )


def test_between_two_phases_the_refusal_names_the_next_opening(
    sprint: Challenge, phase: Phase, submit_at: At
) -> None:
    final = sprint.phases.create(slug="final", position=1, opens_at=CLOSES + timedelta(days=7))
    assert refusal(lambda: submit_at(CLOSES)).facts == {"opens_at": "2026-03-16T09:00:00Z"}
    assert submit_at(CLOSES + timedelta(days=7)).phase == final


def test_an_attempt_in_time_counts_though_it_is_scored_later(phase: Phase, submit_at: At) -> None:
    attempt = submit_at(CLOSES - INSTANT)
    single.score_attempt(attempt.pk)
    attempt.refresh_from_db()
    assert (attempt.status, attempt.submitted_at) == ("scored", CLOSES - INSTANT)


def test_the_clock_of_this_process_decides_nothing(
    sprint: Challenge, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = received_now()
    sprint.phases.update(opens_at=now - timedelta(hours=1), closes_at=now + timedelta(hours=1))
    elsewhere = timezone.now() + timedelta(days=365)
    monkeypatch.setattr(timezone, "now", lambda: elsewhere)
    attempt, _ = submit_attempt(challenge=sprint, user=bob, new=NewAttempt("atlas"))
    assert now <= attempt.submitted_at < now + timedelta(hours=1)


def test_organisers_submit_at_any_time(phase: Phase, submit_at: At) -> None:
    for moment in (OPENS - INSTANT, CLOSES):
        assert submit_at(moment, organiser=True).phase == phase


def test_history_belongs_to_the_phase_of_its_date(
    sprint: Challenge, phase: Phase, bob: User
) -> None:
    final = sprint.phases.create(slug="final", position=1, opens_at=CLOSES)
    dates = (OPENS - INSTANT, CLOSES - INSTANT, CLOSES)
    news = [NewAttempt("atlas", submitted_at=date) for date in dates]
    submit_many(challenge=sprint, user=bob, news=news, organiser=True, received_at=CLOSES)
    phases = Attempt.objects.order_by("submitted_at").values_list("phase", "submitted_at")
    assert list(phases) == list(zip((phase.pk, phase.pk, final.pk), dates, strict=True))


def test_a_bulk_is_received_at_one_moment(sprint: Challenge, phase: Phase, bob: User) -> None:
    news = [NewAttempt("atlas"), NewAttempt("bravo")]
    bulk = submit_many(challenge=sprint, user=bob, news=news, received_at=CLOSES - INSTANT)
    assert len(bulk.accepted) == 2
    assert set(Attempt.objects.values_list("phase", "submitted_at")) == {
        (phase.pk, CLOSES - INSTANT)
    }
    late = refusal(lambda: submit_many(challenge=sprint, user=bob, news=news, received_at=CLOSES))
    assert late.code == "closed"


def test_a_challenge_of_an_earlier_release_gets_its_phase(sprint: Challenge, submit_at: At) -> None:
    sprint.phases.all().delete()
    assert submit_at(NOON).phase == sprint.phases.get()


def test_a_repeated_request_is_answered_after_the_end(
    sprint: Challenge, phase: Phase, bob: User
) -> None:
    def send(moment: datetime) -> tuple[Attempt, bool]:
        return submit_attempt(
            challenge=sprint,
            user=bob,
            new=NewAttempt("atlas"),
            idempotency_key="k",
            body_hash="h",
            received_at=moment,
        )

    first, _ = send(NOON)
    assert send(CLOSES) == (first, False)
