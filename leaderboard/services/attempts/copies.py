"""Copies of attempts in another phase of their challenge, which workers score anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from leaderboard.models import (
    Attempt,
    Challenge,
    Evaluation,
    Evidence,
    EvidenceFile,
    InstanceBlock,
    Phase,
    RunFacts,
    SubmittedFile,
)
from leaderboard.services.attempts.waiting import QueuePlaces
from leaderboard.services.events.record import EventKind, NewEvent, record_events
from leaderboard.services.files.store import open_file, store_file

AT_ONCE: Final = 100
READ_AT_ONCE: Final = 5
"""Rows of evidence, which may be large."""
OWN: Final = frozenset(
    (
        "id",
        "phase_id",
        "charged_day",
        "scoring_config_id",
        "priority",
        "queued_at",
        "due_at",
        "idempotency_key",
        "body_hash",
        "request_id",
        "status",
        "deliveries",
        "lease_token",
        "lease_until",
        "finished_at",
        "withdrawn_at",
        "withdrawn_reason",
        "copied_from_id",
        "chosen_at",
    )
)
"""The columns of an attempt that a copy does not take over."""


def copied(attempts: Sequence[UUID], challenge: Challenge, into: Phase) -> dict[UUID, UUID]:
    """Copy attempts with their evidence, one per participant; returns copy ids by original ids.

    A copy counts towards no limit. It keeps the time at which its original was submitted. Call it
    in a transaction.
    """
    places = QueuePlaces(challenge.tenant_id)
    copy_ids: dict[UUID, UUID] = {}
    for start in range(0, len(attempts), AT_ONCE):
        some = attempts[start : start + AT_ONCE]
        sources = Attempt.objects.in_bulk(some)
        copies = [_copy(sources[pk], challenge, into) for pk in some]
        long = {at for at, copy in enumerate(copies) if copy.instance_count is not None}
        times = places.due_times([copy.participant_id for copy in copies], long=long)
        for copy, due_at in zip(copies, times, strict=True):
            copy.due_at = due_at
        Attempt.objects.bulk_create(copies)
        made = {pk: copy.pk for pk, copy in zip(some, copies, strict=True)}
        _copy_evidence(made)
        copy_ids |= made
        events = [
            NewEvent(
                EventKind.RECEIVED,
                {"phase": into.pk, "version": challenge.newest.number, "copy_of": str(pk)},
                made[pk],
                sources[pk].participant_id,
            )
            for pk in some
        ]
        record_events(challenge.pk, events)
    return copy_ids


def _copy(source: Attempt, challenge: Challenge, into: Phase) -> Attempt:
    copy = Attempt(phase=into, scoring_config=challenge.newest)
    for field in Attempt._meta.concrete_fields:
        if field.attname not in OWN:
            setattr(copy, field.attname, getattr(source, field.attname))
    copy.copied_from_id = source.pk
    return copy


def _copy_evidence(made: Mapping[UUID, UUID]) -> None:
    """Copy all that was submitted. made: the ids of the copies by those of the originals."""
    evidence = Evidence.objects.filter(attempt__in=made)
    for samples in evidence.iterator(chunk_size=READ_AT_ONCE):
        samples.attempt_id = made[samples.attempt_id]
        samples.save(force_insert=True)
    for facts in RunFacts.objects.filter(attempt__in=made).iterator(chunk_size=READ_AT_ONCE):
        facts.attempt_id = made[facts.attempt_id]
        facts.save(force_insert=True)
    for evaluation in Evaluation.objects.filter(attempt__in=made):
        evaluation.attempt_id = made[evaluation.attempt_id]
        evaluation.save(force_insert=True)
    blocks = InstanceBlock.objects.filter(evaluation__in=made)
    for block in blocks.iterator(chunk_size=READ_AT_ONCE):
        block.evaluation_id = made[block.evaluation_id]
        block.pk = None
        block.save(force_insert=True)
    for submitted in SubmittedFile.objects.filter(attempt__in=made).iterator(READ_AT_ONCE):
        submitted.path = _copied_file(submitted)
        submitted.attempt_id = made[submitted.attempt_id]
        submitted.save(force_insert=True)
    for file in EvidenceFile.objects.filter(attempt__in=made).order_by("pk").iterator(AT_ONCE):
        file.path = _copied_file(file) if file.path else ""
        file.pk, file.attempt_id = None, made[file.attempt_id]
        file.save(force_insert=True)


def _copied_file(row: SubmittedFile | EvidenceFile) -> str:
    """The path of a copy, as each file has one row. Raises ServiceError: `unavailable`."""
    with open_file(row.path) as file:
        return store_file(file, name=row.name, challenge=row.challenge_id).path
