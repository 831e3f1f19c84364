"""Organisers reveal a frozen board once its phase has closed."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from leaderboard.models import AuditEntry, Challenge, Phase, User
from leaderboard.services.competition.schedule.reveal import reveal
from tests.services.refusals import refusal

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def phase_of(challenge: Challenge, *, closes: timedelta, freezes: timedelta | None) -> Phase:
    now = timezone.now()
    phase = challenge.phases.get()
    phase.opens_at, phase.closes_at = now - 9 * HOUR, now + closes
    phase.freezes_at = None if freezes is None else now + freezes
    phase.save()
    return phase


def test_a_revealed_phase_is_not_frozen_any_more(sprint: Challenge, alice: User) -> None:
    phase = phase_of(sprint, closes=-HOUR, freezes=-2 * HOUR)
    assert phase.is_frozen(timezone.now())
    version = sprint.board_version
    revealed_phase = reveal(phase, user=alice)
    assert not revealed_phase.is_frozen(timezone.now())
    assert revealed_phase.reveals_at
    assert revealed_phase.is_frozen(revealed_phase.reveals_at - HOUR / 2)
    (entry,) = AuditEntry.objects.filter(challenge=sprint, kind="phase")
    assert (entry.public, entry.object, list(entry.after or {})) == (True, "main", ["reveals_at"])
    sprint.refresh_from_db()
    assert sprint.board_version > version
    assert refusal(lambda: reveal(phase, user=alice)).code == "conflict"


def test_only_a_frozen_board_of_a_closed_phase_is_revealed(sprint: Challenge, alice: User) -> None:
    for closes, freezes in ((HOUR, -HOUR), (-HOUR, None), (3 * HOUR, 2 * HOUR)):
        phase = phase_of(sprint, closes=closes, freezes=freezes)
        assert refusal(partial(reveal, phase, user=alice)).code == "conflict", (closes, freezes)
        phase.refresh_from_db()
        assert phase.reveals_at is None
