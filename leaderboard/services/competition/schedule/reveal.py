"""Ending the freeze of a board, so that everybody sees the final one."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext

from leaderboard.models import Challenge, Phase, User
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.schedule.change_phases import phase_as_json
from leaderboard.services.errors import ServiceError


def reveal(phase: Phase, *, user: User | None) -> Phase:
    """Show everybody the final board of a frozen phase from now on.

    The final scores no longer wait for a confirmation of the end. Raises ServiceError: `conflict`
    if the phase is not frozen, or has not closed yet.
    """
    now = received_now()
    with transaction.atomic():
        Challenge.objects.lock_challenge(phase.challenge_id)
        phase = Phase.objects.get(pk=phase.pk)
        if not phase.is_frozen(now):
            raise ServiceError("conflict", gettext("Only a frozen board can be revealed."))
        if phase.takes(now):
            raise ServiceError(
                "conflict", gettext("A board can be revealed when its phase has closed.")
            )
        before = phase_as_json(phase)
        phase.reveals_at = now
        phase.finals_wait_until = None
        phase.save(update_fields=["reveals_at", "finals_wait_until"])
        record(
            phase.challenge_id,
            AuditKind.PHASE,
            by=user,
            before=before,
            after=phase_as_json(phase),
            named=phase.slug,
            public=True,
        )
        Challenge.objects.bump(phase.challenge_id)
    return phase
