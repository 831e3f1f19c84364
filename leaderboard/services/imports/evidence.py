"""Keep the evidence in a result file beside the attempts that were imported from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from uuid import UUID

from leaderboard.importers import ImportedAttempt, Source
from leaderboard.importers.reading.evidence import contents_of, name_of
from leaderboard.models import Attempt, Challenge, EvidenceFile, User
from leaderboard.models.challenge_file import LONGEST_NAME
from leaderboard.rules.texts.messages import counted
from leaderboard.schemas.choices import EvidenceVisibility
from leaderboard.services.errors import ServiceError
from leaderboard.services.files.budgets import room_for
from leaderboard.services.files.store import store_file
from leaderboard.services.imports.previews import SavedAttempt
from leaderboard.services.standing.evidence import LARGEST, MOST_FILES


def evidence_notes(challenge: Challenge, attempts: Sequence[ImportedAttempt]) -> Iterator[str]:
    """Says that files of evidence are kept, and who may read them."""
    count = sum(len(one.evidence) for one in attempts)
    if count and challenge.evidence_visibility != EvidenceVisibility.SAMPLES:
        yield counted(
            "{count} trajectory or log is kept; only you and organisers may read it",
            "{count} trajectories and logs are kept; only you and organisers may read them",
            count,
        )
    elif count:
        yield counted(
            "{count} trajectory or log is kept; whoever sees the samples may read it",
            "{count} trajectories and logs are kept; whoever sees the samples may read them",
            count,
        )


def keep_evidence(
    challenge: Challenge,
    source: Source,
    attempts: Sequence[ImportedAttempt],
    saved: Mapping[str, SavedAttempt],
    *,
    by: User,
) -> Iterator[str]:
    """Store the evidence of new attempts, after they were saved; yields what could not be kept.

    saved: the attempts by source id.
    """
    left_out = 0
    for one in attempts:
        pk = saved[one.source_id].attempt
        if pk is None or not one.evidence:
            continue
        files = list(_stored(challenge, source, one, pk, by))
        EvidenceFile.objects.bulk_create(files, batch_size=500)
        left_out += len(one.evidence) - len(files)
    if left_out:
        yield counted(
            "{count} trajectory or log could not be kept: it is empty, broken or too large, or "
            "there is no room",
            "{count} trajectories or logs could not be kept: they are empty, broken or too large, "
            "or there is no room",
            left_out,
        )


def _stored(
    challenge: Challenge, source: Source, one: ImportedAttempt, attempt: UUID, by: User
) -> Iterator[EvidenceFile]:
    participant = Attempt.objects.values_list("participant", flat=True).get(pk=attempt)
    room = room_for(challenge, participant)
    for part, content in contents_of(source, one.evidence[:MOST_FILES], LARGEST):
        if not 0 < len(content) <= room:
            continue
        try:
            name = name_of(part)[-LONGEST_NAME:]
            written = store_file(BytesIO(content), name=name, challenge=challenge.pk)
        except ServiceError:
            return
        room -= len(content)
        yield EvidenceFile(
            attempt_id=attempt,
            challenge_id=challenge.pk,
            task=part["task"],
            sample=part["sample"],
            kind=part["kind"],
            added_by=by,
            **written._asdict(),
        )
