"""How many bytes of files a participant and a challenge may have."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db.models import QuerySet, Sum
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, ChallengeFile, SubmittedFile
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
    submitted = SubmittedFile.objects.filter(challenge=challenge)
    if participant is not None:
        own = _bytes_of(submitted.filter(attempt__participant=participant))
        if own + size > settings.PARTICIPANT_FILES_MIB * MIB:
            text = _("file: its participant may have files of {most} MiB in this challenge")
            raise ServiceError("too_large", text.format(most=settings.PARTICIPANT_FILES_MIB))
    total = _bytes_of(submitted) + _bytes_of(ChallengeFile.objects.filter(challenge=challenge))
    if total + size > settings.CHALLENGE_FILES_MIB * MIB:
        text = _("file: this challenge may have files of {most} MiB")
        raise ServiceError("too_large", text.format(most=settings.CHALLENGE_FILES_MIB))


def _bytes_of(files: QuerySet[SubmittedFile] | QuerySet[ChallengeFile]) -> int:
    return files.aggregate(bytes=Sum("size"))["bytes"] or 0
