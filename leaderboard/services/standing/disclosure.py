"""How many attempts preceded one, withdrawn and failed ones included.

They are counted from the attempts, which stay when they are withdrawn, so that nobody can hide
tries afterwards.
"""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Count, Q

from leaderboard.models import Attempt
from leaderboard.schemas.choices import Disclose


class Tries(NamedTuple):
    """The attempts of a participant in a phase.

    before: those that arrived before the one that is read. withdrawn: how many of all are.
    """

    before: int
    total: int
    withdrawn: int

    @property
    def is_first(self) -> bool:
        """Whether the one that is read is the participant's first look at the phase."""
        return self.before == 0


def tries_of(
    attempt: Attempt, *, is_own: bool, organiser: bool, sees_attempts: bool
) -> Tries | None:
    """How many attempts there were; None if the reader may not know.

    sees_attempts: whether the reader may know of the attempts of others in the phase.
    """
    disclose = attempt.challenge.disclose
    everyone = disclose == Disclose.EVERYONE and sees_attempts
    if not (organiser or everyone or (is_own and disclose != Disclose.NONE)):
        return None
    same = Attempt.objects.filter(phase=attempt.phase_id, participant=attempt.participant_id)
    earlier = Q(submitted_at__lt=attempt.submitted_at)
    earlier |= Q(submitted_at=attempt.submitted_at, pk__lt=attempt.pk)
    counts = same.aggregate(
        before=Count("pk", filter=earlier),
        total=Count("pk"),
        withdrawn=Count("pk", filter=Q(withdrawn_at__isnull=False)),
    )
    return Tries(**counts)
