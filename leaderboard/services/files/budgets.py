"""How many bytes of files a participant and a challenge may have."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db.models import QuerySet, Sum
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, ChallengeFile, EvidenceFile, SubmittedFile
from leaderboard.services.errors import ServiceError

MIB: Final = 1 << 20


def check_size(size: int, most: int | None) -> None:
    """Raises ServiceError, `too_large`, if a file exceeds so many MiB; None: there is no limit."""
    if most is not None and size > most * MIB:
        text = _("file: may have at most {most} MiB in this phase")
        raise ServiceError("too_large", text.format(most=most))


def check_room(challenge: Challenge, size: int, *, participant: int | None = None) -> None:
    """Raises ServiceError, `too_large`, if a file of this many bytes exceeds a budget.

    participant: who submits it; None: it is the challenge's own.
    """
    if participant is not None and size > _room_of(challenge, participant):
        text = _("file: its participant may have files of {most} MiB in this challenge")
        raise ServiceError("too_large", text.format(most=settings.PARTICIPANT_FILES_MIB))
    if size > _room_in(challenge):
        text = _("file: this challenge may have files of {most} MiB")
        raise ServiceError("too_large", text.format(most=settings.CHALLENGE_FILES_MIB))


def room_for(challenge: Challenge, participant: int) -> int:
    """How many bytes of files a participant may still add."""
    return min(_room_in(challenge), _room_of(challenge, participant))


def _room_of(challenge: Challenge, participant: int) -> int:
    """The bytes that a participant's own budget has left."""
    own = {"challenge": challenge, "attempt__participant": participant}
    used = _bytes_of(SubmittedFile.objects.filter(**own))
    used += _bytes_of(EvidenceFile.objects.filter(**own))
    return settings.PARTICIPANT_FILES_MIB * MIB - used


def _room_in(challenge: Challenge) -> int:
    """The bytes that the budget of the challenge has left."""
    used = sum(
        (
            _bytes_of(SubmittedFile.objects.filter(challenge=challenge)),
            _bytes_of(EvidenceFile.objects.filter(challenge=challenge)),
            _bytes_of(ChallengeFile.objects.filter(challenge=challenge)),
        )
    )
    return settings.CHALLENGE_FILES_MIB * MIB - used


def _bytes_of(
    files: QuerySet[SubmittedFile] | QuerySet[ChallengeFile] | QuerySet[EvidenceFile],
) -> int:
    return files.aggregate(bytes=Sum("size"))["bytes"] or 0
