"""Raises versions of boards when attempts change, but no standing: by a mark, or by being held.

Caches and ETags depend on these versions. If a freeze hides the attempts from the public, only the
versions of the boards that organisers see are raised.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.db.models import F, Min
from django.utils import timezone

from leaderboard.models import Board, Challenge, Phase
from leaderboard.models.attempt import AttemptQuerySet


def bump_versions(challenge_id: UUID, phase: Phase | None, since: datetime) -> None:
    """Raise the versions for changed attempts of one phase.

    since: when the first of them was submitted.
    """
    if phase and phase.hides(since, timezone.now()):
        Board.objects.taking(phase.pk, since).update(version=F("version") + 1)
    else:
        Challenge.objects.bump(challenge_id)


def first_submissions(attempts: AttemptQuerySet) -> Mapping[int | None, datetime]:
    """When the first attempt of each phase was submitted, by the phase's id."""
    firsts = attempts.order_by().values_list("phase").annotate(first=Min("submitted_at"))
    return dict(firsts)


def bump_versions_of_phases(challenge_id: UUID, first: Mapping[int | None, datetime]) -> None:
    """Call `bump_versions` for each phase. first: as from `first_submissions`."""
    phases = Phase.objects.in_bulk([pk for pk in first if pk is not None])
    for pk, since in first.items():
        bump_versions(challenge_id, None if pk is None else phases[pk], since)
