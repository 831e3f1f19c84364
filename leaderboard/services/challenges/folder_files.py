"""The files of a challenge in its folder: truths, programs and data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, NamedTuple

from django.db.models import RestrictedError
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, ChallengeFile, User
from leaderboard.rules.json.values import JsonObject
from leaderboard.services.challenge_code.uploads import name_upload, read_upload, write_upload
from leaderboard.services.challenges.truths import hold_truth
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.files.challenge_files import add_file, remove_file


class FolderFile(NamedTuple):
    """A file of a folder. role: as of `ChallengeFile`. phase: a slug; "" for all phases."""

    role: str
    phase: str
    name: str
    file: IO[bytes]


def files_of(challenge: Challenge) -> list[ChallengeFile]:
    """The files of a challenge, in an order that does not depend on when they were added."""
    return list(
        ChallengeFile.objects.filter(challenge=challenge)
        .select_related("phase")
        .order_by("role", "name", "sha256")
    )


def described(file: ChallengeFile) -> JsonObject:
    """What a file is, for tags."""
    phase = file.phase.slug if file.phase else ""
    return {"role": file.role, "phase": phase, "name": file.name, "sha256": file.sha256}


def add_files(
    challenge: Challenge, files: Sequence[FolderFile], user: User | None
) -> list[ChallengeFile]:
    """Add the files that the challenge does not have, for all phases. Raises ServiceError."""
    added = []
    for file in files:
        if file.role not in ChallengeFile.Role.values:
            raise _misplaced(file)
        role = ChallengeFile.Role(file.role)
        if role == ChallengeFile.Role.PLUGINS:
            added.append(_with_plugins(challenge, file, user))
            continue
        added.append(add_file(challenge, file.file, name=file.name, role=role, user=user))
    return added


def _with_plugins(challenge: Challenge, file: FolderFile, user: User | None) -> ChallengeFile:
    stored = write_upload(challenge, read_upload(file.name, file.file))
    if stored is not None:
        return name_upload(challenge, stored, user=user)
    return ChallengeFile.objects.get(challenge=challenge, role=ChallengeFile.Role.PLUGINS)


def _misplaced(file: FolderFile) -> ServiceError:
    text = _("must lie in a folder named like a role, or ROLE@PHASE")
    return invalid("files", text, got=f"{file.role}@{file.phase}/{file.name}")


def settle_files(
    challenge: Challenge,
    wanted: Sequence[FolderFile],
    files: Sequence[ChallengeFile],
    user: User | None,
) -> None:
    """Give added files their phases, which exist by now, and score with the truth among them.

    Files that are not among them are removed, unless a scoring version names them. Raises
    ServiceError.
    """
    phases = {phase.slug: phase for phase in challenge.phases.all()}
    for folder_file, file in zip(wanted, files, strict=True):
        if folder_file.phase not in ("", *phases):
            raise _misplaced(folder_file)
        file.phase = phases.get(folder_file.phase)
        file.save(update_fields=["phase"])
        if file.role == ChallengeFile.Role.TRUTH:
            hold_truth(challenge, file, user=user)
    kept = {file.pk for file in files}
    for file in files_of(challenge):
        if file.pk not in kept:
            try:
                remove_file(file)
            except RestrictedError:
                continue
