"""New attempts as rows, made before the transaction that saves them.

A transaction that writes makes other writers wait, on SQLite all of them. So work that needs no
lock is done here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from operator import itemgetter
from typing import Any, cast
from uuid import UUID

from django.db import models

from leaderboard.facts import known_facts
from leaderboard.models import Attempt, Challenge, Evidence, RunFacts, User
from leaderboard.models.bulk import in_runs, insert_rows
from leaderboard.operating.request_ids import current_request_id
from leaderboard.rules.ids import uuid7
from leaderboard.rules.json.values import JsonObject
from leaderboard.services.attempts.declarations import check_declarations
from leaderboard.services.attempts.evidence import ReportedValues, StoredSamples, samples_of
from leaderboard.services.attempts.files import check_evidence, save_file
from leaderboard.services.attempts.new_attempts import IMPORTED, NO_USE, NewAttempt, UseKey
from leaderboard.services.competition.participants.participant_record import ParticipantRecord
from leaderboard.services.errors import ServiceError
from leaderboard.services.evaluation.submitted_outputs import (
    EvaluationDraft,
    ReferenceIds,
    evaluation_draft_of,
    save_evaluations,
)
from leaderboard.services.standing.judging import Judgement

MAX_LINES = 5000
"""The most attempts that one transaction saves, so that other writers do not wait long."""
MAX_BYTES = 8 << 20
"""The most compressed evidence that one transaction saves."""
MAX_BYTES_AHEAD = 64 << 20
"""The most evidence of a batch that is compressed before its transaction, not within it."""

COLUMNS = {key: fact.field for key, fact in known_facts().items()}
"""The columns of facts by their names in the API."""


@dataclass(slots=True)
class Draft:
    """A new attempt before it is saved, with its evidence.

    refused: why it is refused for any user. refused_evidence: the same, but an error about the
    participant takes precedence. wrong_document: an error found before the draft was made.
    participant_or_none and what follows: set within the transaction.
    """

    position: int
    new: NewAttempt
    use: UseKey
    pk: UUID
    wrong_document: ServiceError | None = None
    refused: ServiceError | None = None
    refused_evidence: ServiceError | None = None
    samples: StoredSamples | None = None
    run_facts: bytes | None = None
    evaluation: EvaluationDraft | None = None
    participant_or_none: ParticipantRecord | None = None
    priority: Attempt.Priority = Attempt.Priority.FRESH
    due_at: datetime | None = None
    phase_id: int | None = None
    charged_day: date | None = None
    agreed_until: datetime | None = None
    submitted_at: datetime | None = None
    received_at: datetime | None = None
    standing: int = 0
    judgement: Judgement | None = None
    user_id: int | None = None

    @property
    def participant(self) -> ParticipantRecord:
        """The participant; read it only after it is set."""
        return cast("ParticipantRecord", self.participant_or_none)

    @property
    def in_phase(self) -> int:
        """The id of its phase; read it only after it is set."""
        return cast("int", self.phase_id)

    @property
    def size(self) -> int:
        """Bytes of compressed evidence, without blocks that are not compressed yet."""
        samples = len(self.samples.packed) if self.samples else 0
        blocks = (self.evaluation.packed if self.evaluation else None) or ()
        return samples + sum(len(block.content) for block in blocks)


class Drafting:
    """Makes drafts of attempts at a challenge in its current state."""

    def __init__(self, challenge: Challenge, user: User) -> None:
        self.challenge = challenge
        self.user = user
        self._config = challenge.newest
        self._values = tuple(challenge.values)
        self._reported = ReportedValues(self._config, self._values)
        self._held = ReferenceIds(self._config)
        self._shared = {
            "tenant_id": challenge.tenant_id,
            "challenge_id": challenge.pk,
            "scoring_config_id": self._config.pk,
            "submitted_by_id": user.pk,
            "request_id": current_request_id(),
        }
        self._ahead = 0

    def holds_for(self, challenge: Challenge) -> bool:
        """Whether the drafts are still valid for the challenge, which was read again."""
        mine = self._config.pk, self._values
        return mine == (challenge.newest_config_id, tuple(challenge.values))

    def draft(
        self,
        position: int,
        new: NewAttempt,
        use: UseKey = NO_USE,
        wrong_document: ServiceError | None = None,
    ) -> Draft:
        """A draft of an attempt.

        wrong_document: why the attempt is refused, if that is known already.
        """
        if new.source_id:
            use = UseKey(f"{IMPORTED}:{new.source_id}", IMPORTED)
        draft = Draft(position, new, use, uuid7(), wrong_document, wrong_document)
        draft.user_id = self.user.pk
        if wrong_document is None:
            try:
                self._reported.check(new.values)
                check_declarations(self.challenge.meta_fields, new.meta)
            except ServiceError as error:
                draft.refused = error
            else:
                self._add_evidence(draft)
        return draft

    def fields(self, draft: Draft) -> JsonObject:
        """The values of an attempt's fields; absent ones have their defaults."""
        new = draft.new
        metrics = {COLUMNS[name]: value for name, value in new.metrics.items()}
        return {
            **self._shared,
            "id": draft.pk,
            "priority": draft.priority,
            "due_at": draft.due_at,
            "phase_id": draft.phase_id,
            "charged_day": draft.charged_day,
            "agreed_until": draft.agreed_until,
            "submitted_at": draft.submitted_at,
            "received_at": draft.received_at,
            "standing": draft.standing,
            "participant_id": draft.participant.id,
            "values": new.values,
            "meta": new.meta,
            "note": new.note,
            "sample_count": draft.samples.number if draft.samples else None,
            "instance_count": draft.evaluation.count if draft.evaluation else None,
            "runs_program": self._config.program is not None,
            "idempotency_key": draft.use.key,
            "body_hash": draft.use.body_hash,
            **metrics,
        }

    def _add_evidence(self, draft: Draft) -> None:
        new = draft.new
        try:
            check_evidence(self._config, new)
            draft.samples = samples_of(self._config, new.samples, new.task_rewards)
            draft.run_facts = RunFacts.pack(
                new.run, new.samples if isinstance(new.samples, list) else ()
            )
            draft.evaluation = evaluation_draft_of(
                self._config, self._held, new.evaluation, new.outputs
            )
        except ServiceError as error:
            draft.refused_evidence = error
        if draft.evaluation and self._ahead < MAX_BYTES_AHEAD:
            self._ahead += draft.evaluation.pack()


def in_transactions(drafts: Iterable[Draft]) -> Iterator[list[Draft]]:
    """Drafts in lists, each for one transaction."""
    of_a_line = MAX_BYTES // MAX_LINES
    return in_runs(drafts, lambda draft: max(draft.size, of_a_line), MAX_BYTES)


def save_drafts(drafting: Drafting, drafts: Sequence[Draft]) -> None:
    """Insert the attempts with their evidence; their participants exist already."""
    if drafts:
        names = (*_defaults(), "submitted_at", "priority", "due_at", "request_id", "standing")
        insert_rows(Attempt, names, _rows(drafting, drafts, names))
    save_evidence(drafting, drafts)


def save_evidence(drafting: Drafting, drafts: Sequence[Draft]) -> None:
    """Insert the evidence of existing attempts."""
    sampled = [
        (draft.pk, draft.samples.packed, list(draft.new.file_metrics))
        for draft in drafts
        if draft.samples
    ]
    if sampled:
        insert_rows(Evidence, ("attempt", "samples", "stated"), sampled)
    for draft in drafts:
        if draft.new.file is not None:
            save_file(draft.pk, drafting.challenge.pk, draft.new.file)
    facts = [(draft.pk, draft.run_facts) for draft in drafts if draft.run_facts]
    if facts:
        insert_rows(RunFacts, ("attempt", "content"), facts)
    save_evaluations((draft.pk, draft.evaluation) for draft in drafts if draft.evaluation)


def _rows(
    drafting: Drafting, drafts: Iterable[Draft], names: Sequence[str]
) -> Iterator[tuple[Any, ...]]:
    defaults, row = _defaults(), itemgetter(*names)
    for draft in drafts:
        yield row(defaults | drafting.fields(draft))


@cache
def _defaults() -> JsonObject:
    """Every field of an attempt, except those that the database fills, with its default."""
    return {
        field.attname: field.get_default()
        for field in Attempt._meta.concrete_fields
        if field.db_default is models.NOT_PROVIDED
    }
