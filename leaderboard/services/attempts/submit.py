"""Submitting attempts: checked, saved as queued, and workers notified after the commit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import repeat

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from leaderboard.messages import queue
from leaderboard.models import Attempt, Challenge, User
from leaderboard.rules.json.canonical import canonical
from leaderboard.services.attempts.batches import Batch, used_for_another
from leaderboard.services.attempts.drafts import Draft, in_transactions
from leaderboard.services.attempts.files import accepted_file
from leaderboard.services.attempts.new_attempts import (
    IMPORTED,
    NO_USE,
    BulkResult,
    NewAttempt,
    SentFile,
    UseKey,
)
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.evaluation.submitted_outputs import check_document
from leaderboard.services.files.store import delete_files

__all__ = ["IMPORTED", "BulkResult", "NewAttempt", "SentFile", "submit_attempt", "submit_many"]

NOTIFICATIONS_PER_BATCH = 8
MAX_ASKED = 200
"""The most metrics of documents, counted with different parameters, that a batch may have."""


def submit_attempt(
    *,
    challenge: Challenge,
    user: User,
    new: NewAttempt,
    organiser: bool = False,
    idempotency_key: str = "",
    body_hash: str = "",
    received_at: datetime | None = None,
    only_as: int | None = None,
    file: SentFile | None = None,
) -> tuple[Attempt, bool]:
    """Save one attempt as queued; the second value is True if it is new.

    The same `idempotency_key` with the same `body_hash` returns the existing attempt. received_at:
    when the request began (`competition.clock`); None: now. only_as: the participant that the
    token is bound to; None: it is bound to none. file: what it submits, checked before anything is
    stored. Raises ServiceError: `closed`, `not_open`, `conflict` (the key was used for another
    body), `permission_denied`, `invalid`, `too_large`.
    """
    if idempotency_key and (existing := _sent_before(challenge, user, idempotency_key)):
        return _same(existing, body_hash), False
    check_document(new.evaluation, challenge.tenant.slug)
    kept = accepted_file(challenge, file) if file else None
    batch = Batch(challenge, user, organiser=organiser, received_at=received_at, only_as=only_as)
    new, use, is_saved = replace(new, file=kept), UseKey(idempotency_key, body_hash), False
    try:
        attempt, is_saved = _saved_one(batch, new, use)
    finally:
        if kept and not is_saved:
            delete_files([kept.stored.path])
    return attempt, is_saved


def _saved_one(batch: Batch, new: NewAttempt, use: UseKey) -> tuple[Attempt, bool]:
    """Save one attempt, or find the one that was saved with the same key at the same time."""
    draft = batch.drafting.draft(0, new, use)
    try:
        with transaction.atomic():
            attempt = batch.save_one(draft)
            transaction.on_commit(lambda: _send(attempt))
    except IntegrityError:
        existing = _sent_before(batch.challenge, batch.user, use.key) if use.key else None
        if existing is None:
            raise
        return _same(existing, use.body_hash), False
    return attempt, True


def _send(attempt: Attempt) -> None:
    """Notify workers of the attempt, or of waiting attempts in general if it takes long.

    A worker that takes any attempt takes the oldest of those that need long.
    """
    if attempt.instance_count is None and not attempt.runs_program:
        queue.notify_of_attempt(attempt.pk)
    else:
        queue.notify_workers()


def submit_many(
    *,
    challenge: Challenge,
    user: User,
    news: Sequence[NewAttempt],
    organiser: bool = False,
    atomic: bool = False,
    dry_run: bool = False,
    uses: Sequence[UseKey] = (),
    received_at: datetime | None = None,
    only_as: int | None = None,
) -> BulkResult:
    """Save many attempts, some thousand in a transaction; with `atomic`, all in one or none.

    With `dry_run` nothing is saved: the result says which attempts would be refused. uses: the key
    of each, so that an existing attempt is not made again. Without `atomic` an error of the
    database keeps what was saved before it. received_at, only_as: as of `submit_attempt`. Raises
    ServiceError: `closed`, `not_open`.
    """
    batch = Batch(
        challenge,
        user,
        organiser=organiser,
        lines=len(news),
        received_at=received_at,
        only_as=only_as,
    )
    wrong = dict(_wrong_documents(news, challenge.tenant.slug))
    drafts = (
        batch.drafting.draft(position, new, use, wrong.get(position))
        for position, (new, use) in enumerate(zip(news, uses or repeat(NO_USE), strict=False))
    )
    result = BulkResult([], [], [])
    for run in [list(drafts)] if atomic else in_transactions(drafts):
        try:
            saved = _saved(batch, run, atomic=atomic, dry_run=dry_run)
        except ServiceError as refused:  # closed; what was saved before it was closed stays
            if atomic or run[0].position == 0:
                raise
            saved = BulkResult([], [(draft.position, refused) for draft in run])
        result.accepted.extend(saved.accepted)
        result.rejected.extend(saved.rejected)
        result.renamed.extend(saved.renamed)
    return result


def save_drafted(
    batch: Batch, drafts: Sequence[Draft], *, atomic: bool, dry_run: bool = False
) -> BulkResult:
    """Save drafts in a transaction and notify workers after it. Raises ServiceError: `closed`."""
    result = batch.save(drafts, atomic=atomic, dry_run=dry_run)
    notifications = min(NOTIFICATIONS_PER_BATCH, len(result.accepted))
    transaction.on_commit(lambda: queue.notify_workers(notifications))
    return result


def _saved(batch: Batch, drafts: Sequence[Draft], *, atomic: bool, dry_run: bool) -> BulkResult:
    try:
        with transaction.atomic():
            return save_drafted(batch, drafts, atomic=atomic, dry_run=dry_run)
    except IntegrityError:  # the same keys, of a request at the same time: they are there by now
        batch.undo()
        with transaction.atomic():
            return save_drafted(batch, drafts, atomic=atomic, dry_run=dry_run)


def _wrong_documents(news: Sequence[NewAttempt], tenant: str) -> Iterator[tuple[int, ServiceError]]:
    """The errors of documents, by position.

    Asks the sandbox once for each metric with different parameters.
    """
    asked: set[bytes] = set()
    for position, new in enumerate(news):
        metrics = new.evaluation.metrics if new.evaluation else ()
        fresh = set(map(canonical, metrics)) - asked
        try:
            if fresh and len(asked) + len(fresh) > MAX_ASKED:
                text = _("must be at most {most} with different parameters in all; got more")
                raise invalid("evaluation.metrics", text.format(most=MAX_ASKED))
            check_document(new.evaluation, tenant)
            asked |= fresh
        except ServiceError as refused:
            yield position, refused


def _sent_before(challenge: Challenge, user: User, key: str) -> Attempt | None:
    return Attempt.objects.filter(
        challenge=challenge, submitted_by=user, idempotency_key=key
    ).first()


def _same(attempt: Attempt, body_hash: str) -> Attempt:
    if attempt.body_hash != body_hash:
        raise used_for_another()
    return attempt
