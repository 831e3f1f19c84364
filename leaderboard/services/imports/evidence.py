"""Keep the evidence in a result file beside the attempts that were imported from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from io import BytesIO

from leaderboard.importers import ImportedAttempt, Source
from leaderboard.importers.reading.evidence import EvidencePart, contents_of, name_of
from leaderboard.models import Attempt, Challenge, EvidenceFile, User
from leaderboard.models.challenge_file import LONGEST_NAME
from leaderboard.rules.texts.messages import counted
from leaderboard.schemas.choices import EvidenceVisibility
from leaderboard.services.competition.participants.ownership import own_among
from leaderboard.services.errors import ServiceError
from leaderboard.services.files.budgets import room_for
from leaderboard.services.files.store import store_file
from leaderboard.services.imports.previews import SavedAttempt
from leaderboard.services.standing.evidence import LARGEST, MOST_FILES, add_files
from leaderboard.services.standing.judging import stored_judgement
from leaderboard.services.standing.rejudging import judge_again


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


def kinds_of(one: ImportedAttempt) -> Mapping[tuple[str, int], Sequence[str]]:
    """The kinds of evidence that are kept of an attempt if there is room, by task and number."""
    kinds: dict[tuple[str, int], list[str]] = {}
    for part in one.evidence[:MOST_FILES]:
        kinds.setdefault((part["task"], part["sample"]), []).append(part["kind"])
    return kinds


def keep_evidence(
    challenge: Challenge,
    source: Source,
    attempts: Sequence[ImportedAttempt],
    saved: dict[str, SavedAttempt],
    *,
    by: User,
) -> Iterator[str]:
    """Store the evidence of attempts, after they were saved; yields what could not be kept.

    If an attempt was imported before and is the user's own, the evidence that it lacks is added. If
    not all evidence of a new attempt can be kept, the rules judge the attempt again, and its new
    judgement takes the place of the first one in `saved`. saved: the attempts by source id.
    """
    left_out = added = 0
    ids = {pk for one in attempts if one.evidence and (pk := saved[one.source_id].attempt)}
    stored_attempts = Attempt.objects.select_related("participant").in_bulk(ids)
    own = own_among(challenge, (attempt.participant for attempt in stored_attempts.values()), by)
    kinds = EvidenceFile.objects.kinds_of(ids)
    for one in attempts:
        stored = saved[one.source_id]
        attempt = stored_attempts.get(stored.attempt) if stored.attempt and one.evidence else None
        if attempt is None or (
            stored.known and (attempt.withdrawn_at or attempt.participant_id not in own)
        ):
            continue
        kept = kinds.get(attempt.pk, {})
        parts = [
            part
            for part in one.evidence
            if part["kind"] not in kept.get((part["task"], part["sample"]), ())
        ]
        files = list(_stored(challenge, source, attempt, parts, by))
        if stored.known and files:
            add_files(attempt, files, by=by)
            added += len(files)
        elif not stored.known:
            EvidenceFile.objects.bulk_create(files, batch_size=500)
        if stored.judgement and len(files) < len(parts):
            judge_again(challenge, [attempt.pk], by=by)
            saved[one.source_id] = replace(stored, judgement=stored_judgement(attempt.pk))
        left_out += len(parts) - len(files)
    if added:
        yield counted(
            "{count} trajectory or log was added to attempts that were imported before",
            "{count} trajectories and logs were added to attempts that were imported before",
            added,
        )
    if left_out:
        yield counted(
            "{count} trajectory or log could not be kept: it is empty, broken or too large, or "
            "there is no room",
            "{count} trajectories or logs could not be kept: they are empty, broken or too large, "
            "or there is no room",
            left_out,
        )


def _stored(
    challenge: Challenge,
    source: Source,
    attempt: Attempt,
    parts: Sequence[EvidencePart],
    by: User,
) -> Iterator[EvidenceFile]:
    room = room_for(challenge, attempt.participant_id)
    most = MOST_FILES - EvidenceFile.objects.filter(attempt=attempt.pk).count()
    for part, content in contents_of(source, parts[:most], LARGEST):
        if not 0 < len(content) <= room:
            continue
        try:
            name = name_of(part)[-LONGEST_NAME:]
            written = store_file(BytesIO(content), name=name, challenge=challenge.pk)
        except ServiceError:
            return
        room -= len(content)
        yield EvidenceFile(
            attempt_id=attempt.pk,
            challenge_id=challenge.pk,
            task=part["task"],
            sample=part["sample"],
            kind=part["kind"],
            added_by=by,
            **written._asdict(),
        )
