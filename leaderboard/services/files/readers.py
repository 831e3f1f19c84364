"""Which files of a challenge a reader may download."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from leaderboard.models import Challenge, ChallengeFile


def files_for(challenge: Challenge, *, organiser: bool) -> QuerySet[ChallengeFile]:
    """The files that a reader of a challenge may download, by role.

    Organisers get all. Others get those for participants; a file of one phase from its opening on.
    """
    files = ChallengeFile.objects.filter(challenge=challenge).select_related("phase")
    if organiser:
        return files
    has_begun = Q(phase=None) | Q(phase__opens_at=None) | Q(phase__opens_at__lte=Now())
    return files.filter(has_begun, role__in=ChallengeFile.FOR_PARTICIPANTS)
