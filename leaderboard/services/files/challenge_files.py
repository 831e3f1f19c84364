"""The files of a challenge: stored once for each role, and never changed."""

from __future__ import annotations

from typing import IO

from django.db import transaction
from django.db.models import RestrictedError

from leaderboard.models import Challenge, ChallengeFile, Phase, ScoringConfig, User
from leaderboard.services.files.budgets import check_room
from leaderboard.services.files.store import delete_after_commit, sha256_of, store_file


def add_file(
    challenge: Challenge,
    file: IO[bytes],
    *,
    name: str,
    role: ChallengeFile.Role,
    user: User | None,
    phase: Phase | None = None,
) -> ChallengeFile:
    """Store a file for a challenge; the same bytes in the same role are stored once.

    phase: the only phase that it is for; None: all. Raises ServiceError: `too_large`, `invalid`,
    `unavailable`.
    """
    same = ChallengeFile.objects.filter(challenge=challenge, role=role, sha256=sha256_of(file))
    if (existing := same.first()) is not None:
        return existing
    check_room(challenge, file.tell())
    stored = store_file(file, name=name, challenge=challenge.pk)
    row, _ = same.get_or_create(
        defaults={
            **stored._asdict(),
            "challenge": challenge,
            "role": role,
            "phase": phase,
            "created_by": user,
        }
    )
    return row


def remove_file(file: ChallengeFile) -> None:
    """Delete a file of a challenge.

    Raises RestrictedError if a scoring config names it: attempts were scored with it.
    """
    configs = ScoringConfig.objects.filter(challenge=file.challenge_id, program__isnull=False)
    programs = (config.scoring_program for config in configs)
    if any(program and file.sha256 in program.digests for program in programs):
        raise RestrictedError("a program names it", {file})
    with transaction.atomic():
        delete_after_commit([file.path])
        file.delete()
