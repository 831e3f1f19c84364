"""The truth of a challenge: stored as a file, read, and named by its scoring configs."""

from __future__ import annotations

from typing import IO

from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, ChallengeFile, Phase, ScoringConfig, User
from leaderboard.services.challenges.scoring_configs import next_config
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.errors import ServiceError
from leaderboard.services.files.challenge_files import add_file, remove_file
from leaderboard.services.files.store import sha256_of
from leaderboard.services.predictions.perfect import truth_for


def add_challenge_file(
    challenge: Challenge,
    file: IO[bytes],
    *,
    name: str,
    role: ChallengeFile.Role,
    user: User | None,
    phase: Phase | None = None,
) -> ChallengeFile:
    """Store a file for a challenge. A truth is read at once, and held from now on.

    A truth that is refused is not kept. Raises ServiceError, as `add_file` and `hold_truth`.
    """
    same = ChallengeFile.objects.filter(challenge=challenge, role=role, sha256=sha256_of(file))
    is_new = not same.exists()
    added = add_file(challenge, file, name=name, role=role, user=user, phase=phase)
    if role == ChallengeFile.Role.TRUTH:
        try:
            hold_truth(challenge, added, user=user)
        except ServiceError:
            if not added.truths.exists():
                remove_file(added)
            raise
    if is_new:
        record_file(added, is_new=True, user=user)
    return added


def record_file(file: ChallengeFile, *, is_new: bool, user: User | None) -> None:
    """Write into the log of changes that a challenge has a file, or has it no more."""
    facts = {"file": {"name": file.name, "role": str(file.role), "sha256": file.sha256}}
    before, after = ({"file": None}, facts) if is_new else (facts, {"file": None})
    record(
        file.challenge_id, AuditKind.CHALLENGE, by=user, before=before, after=after, is_told=False
    )


def hold_truth(challenge: Challenge, file: ChallengeFile, *, user: User | None) -> ScoringConfig:
    """Let a challenge compare files of predictions with a truth from now on.

    Another truth than before makes a new scoring version. A challenge without metrics of
    predictions only keeps the file, until it has some. Raises ServiceError.
    """
    config = challenge.newest
    if not config.prediction_specs:
        return config
    truth = truth_for(config, file)
    with transaction.atomic():
        challenge = Challenge.objects.lock_challenge(challenge.pk)
        if challenge.newest_config_id != config.pk:
            raise ServiceError("conflict", _("Somebody else has just changed how it is scored."))
        if config.truth_id != truth.pk:
            wanted = config.copied()
            wanted.truth_id = truth.pk
            config = next_config(challenge, wanted, user=user)
        Challenge.objects.bump(challenge.pk)
    return config


def truth_file_of(challenge: Challenge) -> ChallengeFile | None:
    """The file of the truth that the newest config names, else the last one that was uploaded."""
    truths = ChallengeFile.objects.filter(challenge=challenge, role=ChallengeFile.Role.TRUTH)
    named = truths.filter(truths__configs=challenge.newest_config_id)
    return named.first() or truths.order_by("-pk").first()
