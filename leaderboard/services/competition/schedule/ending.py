"""A change of the end of a phase can be taken back for some minutes, before final scores are shown.

Once they are public, the phase cannot be opened again: everybody knows the private tasks' scores.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext

from leaderboard.models import Challenge, Phase, User
from leaderboard.rules.rewards.splits import TaskPart
from leaderboard.schemas.phase_fields import PhaseFields
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.clock import iso, received_now
from leaderboard.services.errors import ServiceError

TAKE_BACK: Final = timedelta(minutes=10)
"""How long a changed end waits for its organisers."""
ENDING: Final = ("closes_at", "freezes_at", "reveals_at", "final_part")
"""The fields of a phase that decide when its final scores are due, and which they are."""


def ends_now(phase: Phase, fields: PhaseFields, now: datetime) -> bool:
    """Whether a change to these fields ends a phase that has not closed yet."""
    was_closed = phase.closes_at is not None and phase.closes_at <= now
    return not was_closed and fields.closes_at is not None and fields.closes_at <= now


def wait_after_change(
    phase: Phase, fields: PhaseFields, now: datetime, *, has_private_tasks: bool
) -> None:
    """Let the final scores wait after a change of the end.

    Call it before the phase has the new fields; it saves nothing.
    """
    is_changed = any(getattr(phase, name) != getattr(fields, name) for name in ENDING)
    if is_changed and has_private_tasks and fields.final_part != TaskPart.PUBLIC:
        phase.finals_wait_until = now + TAKE_BACK


def without_wait() -> QuerySet[Phase]:
    """The phases whose final scores wait for nobody."""
    return Phase.objects.filter(Q(finals_wait_until=None) | Q(finals_wait_until__lte=Now()))


def confirm_end(phase: Phase, *, user: User | None) -> Phase:
    """Compute the final scores after a changed end now instead of some minutes later.

    Raises ServiceError: `conflict` if the phase has not closed, or nothing waits any more.
    """
    with transaction.atomic():
        Challenge.objects.lock_challenge(phase.challenge_id)
        phase = Phase.objects.get(pk=phase.pk)
        until = phase.finals_wait_until
        if until is None or not phase.finals_wait(received_now()):
            text = gettext("The final scores of this phase do not wait for a confirmation.")
            raise ServiceError("conflict", text)
        phase.finals_wait_until = None
        phase.save(update_fields=["finals_wait_until"])
        record(
            phase.challenge_id,
            AuditKind.PHASE,
            by=user,
            before={"finals_wait_until": iso(until)},
            after={"finals_wait_until": None},
            named=phase.slug,
            public=True,
        )
        Challenge.objects.bump(phase.challenge_id)
    return phase
