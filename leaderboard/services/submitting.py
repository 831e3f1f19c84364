"""Taking attempts in: checked, saved as queued, and the bell rung after commit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction

from leaderboard import queue
from leaderboard.models import Attempt, Challenge, Evidence, Participant, User
from leaderboard.rules.documents import Document
from leaderboard.rules.instances import Instance
from leaderboard.rules.rewards import Sample
from leaderboard.rules.strict_json import canonical
from leaderboard.services.evaluations import (
    Brought,
    Held,
    brought_by,
    check_document,
    save_evaluations,
)
from leaderboard.services.evidence import check_values, evidence_of
from leaderboard.services.participants import participant_named
from leaderboard.services.refused import Refused, invalid

BELLS_PER_BATCH = 8
ROWS_PER_INSERT = 500
BLOBS_PER_INSERT = 50
MAX_ASKED = 200
"""Metrics of documents, told apart by their parameters, of one batch."""
IMPORTED = "import"
"""In the place of a body's hash, which it cannot be: the attempt came from a file."""


@dataclass(frozen=True, slots=True)
class NewAttempt:
    """An attempt as it arrives, its fields already of the right type and range.

    `metrics` holds the facts by their API names (`succeeded`, `tokens_total`, `elapsed_ms`,
    `rating`, `created_at`, `cost_usd`, `input_tokens`, `output_tokens`); absent ones are missing
    or `None`. `values` are numbers that the participant reports. Rewards come as `samples`, or as
    `task_rewards`, the short form for one reward: its values by task, None for a failed sample.
    What a model answered comes as an `evaluation`, or as `outputs` by id where the challenge holds
    what is expected. `submitted_at` is for organisers who bring history. An attempt from a file has
    the `source_id` of its results, and what the file `stated` of its metrics (see
    `services.stated`).
    """

    participant: str
    metrics: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, float] = field(default_factory=dict)
    samples: Sequence[Sample] = ()
    task_rewards: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    evaluation: Document | None = None
    outputs: Sequence[Instance] | None = None
    name: str = ""
    kind: str = ""
    meta: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    submitted_at: datetime | None = None
    source_id: str = ""
    stated: Sequence[Mapping[str, Any]] = ()


class Renamed(NamedTuple):
    """A participant whose name is kept in another spelling than it was sent in.

    position: of the attempt in the batch.
    """

    position: int
    sent: str
    kept: str


@dataclass(frozen=True, slots=True)
class BulkResult:
    """What became of a batch: the attempts taken, and the refusals by position in the batch."""

    accepted: list[Attempt]
    rejected: list[tuple[int, Refused]]
    renamed: list[Renamed] = field(default_factory=list)


def submit_attempt(
    *,
    challenge: Challenge,
    user: User,
    new: NewAttempt,
    organiser: bool = False,
    idempotency_key: str = "",
    body_hash: str = "",
) -> tuple[Attempt, bool]:
    """Save one attempt as queued; True beside it when it is new.

    The same `idempotency_key` with the same `body_hash` gives the attempt that is there already.
    Raises Refused: `closed`, `conflict` (the key was used for another body), `permission_denied`,
    `invalid`.
    """
    if idempotency_key and (known := _known(challenge, user, idempotency_key)):
        return _same(known, body_hash), False
    check_document(new.evaluation)
    try:
        with transaction.atomic():
            challenge = _open(challenge)
            rows = _build(challenge, user, new, organiser, Held(challenge.newest))
            attempt = rows.attempt
            if idempotency_key:
                attempt.idempotency_key, attempt.body_hash = idempotency_key, body_hash
            attempt.save(force_insert=True)
            if rows.evidence:
                rows.evidence.save(force_insert=True)
            save_evaluations([rows.brought] if rows.brought else [])
            transaction.on_commit(lambda: _ring(attempt))
    except IntegrityError:
        known = _known(challenge, user, idempotency_key) if idempotency_key else None
        if known is None:
            raise
        return _same(known, body_hash), False
    return attempt, True


def _ring(attempt: Attempt) -> None:
    """A worker that takes whatever waits takes the oldest of those that need long."""
    if attempt.instance_count is None:
        queue.ring_attempt(attempt.pk)
    else:
        queue.ring_waiting()


def submit_many(
    *,
    challenge: Challenge,
    user: User,
    news: Sequence[NewAttempt],
    organiser: bool = False,
    atomic: bool = False,
) -> BulkResult:
    """Save many attempts in one transaction; with `atomic`, all of them or none."""
    all_rows: list[_Rows] = []
    rejected = dict(_wrong_documents(news))
    with transaction.atomic():
        challenge = _open(challenge)
        held = Held(challenge.newest)
        participants: dict[str, Participant] = {}
        renamed: list[Renamed] = []
        for position, new in enumerate(news):
            if position in rejected:
                continue
            try:
                all_rows.append(_build(challenge, user, new, organiser, held, participants))
                kept = all_rows[-1].attempt.participant.handle
                if kept != new.participant:
                    renamed.append(Renamed(position, new.participant, kept))
            except Refused as refused:
                rejected[position] = refused
        refusals = sorted(rejected.items(), key=lambda each: each[0])
        if atomic and rejected:
            transaction.set_rollback(True)
            return BulkResult([], refusals)
        accepted = [rows.attempt for rows in all_rows]
        evidence = [rows.evidence for rows in all_rows if rows.evidence]
        Attempt.objects.bulk_create(accepted, batch_size=ROWS_PER_INSERT)
        Evidence.objects.bulk_create(evidence, batch_size=BLOBS_PER_INSERT)
        save_evaluations(rows.brought for rows in all_rows if rows.brought)
        bells = min(BELLS_PER_BATCH, len(accepted))
        transaction.on_commit(lambda: queue.ring_waiting(bells))
    return BulkResult(accepted, refusals, renamed)


class _Rows(NamedTuple):
    """An attempt before it is saved, and what it brings."""

    attempt: Attempt
    evidence: Evidence | None
    brought: Brought | None


def _wrong_documents(news: Sequence[NewAttempt]) -> Iterator[tuple[int, Refused]]:
    """By position. Each metric with other parameters is a question to the sandbox."""
    asked: set[bytes] = set()
    for position, new in enumerate(news):
        metrics = new.evaluation.metrics if new.evaluation else ()
        fresh = set(map(canonical, metrics)) - asked
        try:
            if fresh and len(asked) + len(fresh) > MAX_ASKED:
                text = f"are more than {MAX_ASKED} with different parameters in one request"
                raise invalid("evaluation.metrics", text)
            check_document(new.evaluation)
            asked |= fresh
        except Refused as refused:
            yield position, refused


def _open(challenge: Challenge) -> Challenge:
    """The challenge as it stands in this transaction, with its newest scoring config."""
    challenge = Challenge.objects.select_related("newest_config", "tenant").get(pk=challenge.pk)
    if not challenge.is_active:
        raise Refused("closed", f"{challenge.name} takes no attempts any more.")
    return challenge


def _build(
    challenge: Challenge,
    user: User,
    new: NewAttempt,
    organiser: bool,
    held: Held,
    participants: dict[str, Participant] | None = None,
) -> _Rows:
    """The rows to save. Raises Refused."""
    check_values(challenge.newest, new.values, challenge.values)
    participant = (participants or {}).get(new.participant) or participant_named(
        tenant=challenge.tenant,
        handle=new.participant,
        user=user,
        organiser=organiser,
        name=new.name,
        kind=new.kind,
    )
    if participants is not None:
        participants[new.participant] = participant
    attempt = Attempt(
        challenge=challenge,
        participant=participant,
        scoring_config=challenge.newest,
        submitted_by=user,
        values=dict(new.values),
        meta=dict(new.meta),
        note=new.note,
        **dict(_columns(new)),
    )
    if new.source_id:
        attempt.idempotency_key, attempt.body_hash = f"{IMPORTED}:{new.source_id}", IMPORTED
    evidence = evidence_of(challenge.newest, attempt, new.samples, new.task_rewards)
    if evidence:
        evidence.stated = list(new.stated)
    brought = brought_by(challenge.newest, held, attempt, new.evaluation, new.outputs)
    return _Rows(attempt, evidence, brought)


def _columns(new: NewAttempt) -> Iterator[tuple[str, Any]]:
    for name, value in new.metrics.items():
        yield ("reported_created_at" if name == "created_at" else name), value
    if new.submitted_at is not None:
        yield "submitted_at", new.submitted_at


def _known(challenge: Challenge, user: User, key: str) -> Attempt | None:
    return Attempt.objects.filter(
        challenge=challenge, submitted_by=user, idempotency_key=key
    ).first()


def _same(known: Attempt, body_hash: str) -> Attempt:
    if known.body_hash != body_hash:
        raise Refused(
            "conflict",
            "This Idempotency-Key was used for an attempt with another body.",
            {"Idempotency-Key": ["was used for another body"]},
        )
    return known
