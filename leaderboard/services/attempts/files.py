"""The file of an attempt: checked and written before the attempt is saved."""

from __future__ import annotations

from uuid import UUID

from django.utils.translation import gettext as _

from leaderboard.models import Challenge, ScoringConfig, SubmittedFile
from leaderboard.services.attempts.new_attempts import KeptFile, NewAttempt, SentFile
from leaderboard.services.errors import invalid
from leaderboard.services.files.budgets import check_room
from leaderboard.services.files.store import sha256_of, store_file
from leaderboard.services.predictions.submissions import checked_predictions, packed_for
from leaderboard.services.programs.submissions import check_submission


def accepted_file(challenge: Challenge, file: SentFile) -> KeptFile:
    """Check a file against what the challenge takes, and write it.

    A file that is refused costs no quota. Raises ServiceError: `invalid` with the lines that are
    wrong, `too_large`, `unavailable`.
    """
    config = challenge.newest
    if not config.takes_files:
        raise invalid("file", _("must be absent, because this challenge takes no files"))
    sha256 = sha256_of(file.content)
    check_room(challenge, file.content.tell())
    if file.sha256 and file.sha256 != sha256:
        text = _("must be the SHA-256 of the file, which arrived with {sha256}")
        raise invalid("Content-Digest", text.format(sha256=sha256))
    if config.program is not None:
        check_submission(file.name, file.content)
        packed, key = None, ""
    else:
        packed, key = checked_predictions(config, file.content), packed_for(config.truth_id)
    stored = store_file(file.content, name=file.name, challenge=challenge.pk)
    return KeptFile(stored, packed, key)


def check_evidence(config: ScoringConfig, new: NewAttempt) -> None:
    """Refuse (ServiceError) an attempt without a file where files are compared with a truth."""
    if config.takes_files and new.file is None:
        raise invalid("file", _("is required, because this challenge scores files; got none"))


def save_file(attempt: UUID, challenge: UUID, kept: KeptFile) -> None:
    """Store the row of an attempt's file, in the transaction that saves the attempt."""
    SubmittedFile.objects.create(
        attempt_id=attempt,
        challenge_id=challenge,
        **kept.stored._asdict(),
        predictions=kept.predictions,
        packed_for=kept.packed_for,
    )
