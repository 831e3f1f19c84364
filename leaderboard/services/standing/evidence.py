"""Evidence of attempts: adding files and links to one, and who may read them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import IO, Final, NamedTuple
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from leaderboard.models import Attempt, Challenge, Decision, Evidence, EvidenceFile, User
from leaderboard.schemas.choices import EvidenceVisibility
from leaderboard.schemas.evidence import NewEvidence
from leaderboard.services.competition.participants.ownership import is_own
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.events.record import EventKind, NewEvent, record_events
from leaderboard.services.files.budgets import check_room
from leaderboard.services.files.store import WrittenFile, delete_files, store_file
from leaderboard.services.standing.rejudging import judge_within
from leaderboard.services.transactions import retried

LARGEST: Final = 16 << 20
"""Bytes of a file."""
MOST_FILES: Final = 5000
"""Files and links of an attempt."""


class SentEvidence(NamedTuple):
    """A file as it was sent."""

    name: str
    content: IO[bytes]


def visible_evidence(
    attempt: Attempt, access: Access, *, reader: User | None, organiser: bool
) -> QuerySet[EvidenceFile]:
    """The evidence of an attempt that a reader may see: where they see its samples, unless fewer
    may read it.

    Without that of private tasks until the end of the phase, unless the reader has added it.
    organiser: whether the reader sees everything. The caller has checked that the reader may know
    of the attempt.
    """
    files = EvidenceFile.objects.filter(attempt=attempt.pk).order_by("task", "sample", "pk")
    if organiser:
        return files
    readers = attempt.challenge.evidence_visibility
    if readers == EvidenceVisibility.ORGANISERS:
        return files.filter(added_by=reader) if reader else files.none()
    own = reader is not None and is_own(attempt, reader)
    is_open = own or (readers == EvidenceVisibility.SAMPLES and access.sees_evidence(attempt))
    if not is_open:
        return files.none()
    shows = attempt.challenge.shown.shows(attempt.phase_id)
    if shows is None:
        return files
    tasks = files.order_by().exclude(task="").values_list("task", flat=True).distinct()
    visible = Q(task__in=[task for task in tasks if shows(task)])
    return files.filter(visible | Q(added_by=reader)) if reader else files.filter(visible)


def may_add(user: User | None, attempt: Attempt) -> bool:
    """Whether a user may add evidence: the participant, to an attempt that is not withdrawn."""
    return user is not None and attempt.withdrawn_at is None and is_own(attempt, user)


def add_evidence(
    attempt: Attempt, new: NewEvidence, file: SentEvidence | None, *, by: User
) -> EvidenceFile:
    """Add a file or a link; the rules of admission then judge the attempt again.

    Raises ServiceError: `permission_denied`, `conflict`, `invalid`, `too_large`, `unavailable`.
    """
    _check(attempt, new, file, by)
    written = None
    if file is not None:
        check_room(attempt.challenge, _size(file), participant=attempt.participant_id)
        written = store_file(file.content, name=file.name, challenge=attempt.challenge_id)
    try:
        return retried(partial(_add, attempt, new, written, by))
    except BaseException:
        delete_files([written.path] if written else [])
        raise


def add_files(attempt: Attempt, files: Sequence[EvidenceFile], *, by: User) -> None:
    """Add stored files to an attempt that was imported from a result file which has them."""
    retried(partial(_add_files, attempt, files, by))


def added_since_return(ids: Collection[UUID]) -> Mapping[UUID, int]:
    """How many pieces of evidence came after attempts were returned last, by attempt."""
    returns = Decision.objects.filter(attempt=OuterRef("attempt"), kind="returned")
    last = returns.order_by("-at").values("at")[:1]
    later = EvidenceFile.objects.filter(attempt__in=ids, added_at__gt=Subquery(last))
    counts = later.order_by().values_list("attempt").annotate(count=Count("pk"))
    return dict(counts) if ids else {}


def _check(attempt: Attempt, new: NewEvidence, file: SentEvidence | None, by: User) -> None:
    if not is_own(attempt, by):
        text = _("Only the participant of an attempt may do this.")
        raise ServiceError("permission_denied", text)
    if attempt.withdrawn_at is not None:
        raise ServiceError("conflict", _("The attempt is withdrawn."))
    if file is None and not new.url:
        raise invalid("file", _("is required, or an address in url; got neither"))
    if file is not None and new.url:
        raise invalid("url", _("must be empty beside a file; got both"))
    if file is not None and not 0 < (size := _size(file)) <= LARGEST:
        text = _("must be a file of 1 byte to {most} MiB; got {size} bytes")
        raise invalid("file", text.format(most=LARGEST >> 20, size=size))
    if new.task and not _has_sample(attempt, new):
        text = _("must be a sample of this attempt; got {number} of {task}")
        raise invalid("sample", text.format(number=new.sample, task=new.task))


def _has_sample(attempt: Attempt, new: NewEvidence) -> bool:
    evidence = Evidence.objects.filter(attempt=attempt.pk).first()
    samples = evidence.read() if evidence else ()
    return any((sample.task, sample.sample) == (new.task, new.sample) for sample in samples)


def _size(file: SentEvidence) -> int:
    return file.content.seek(0, 2)


def _add_files(attempt: Attempt, files: Sequence[EvidenceFile], by: User) -> None:
    _save(Challenge.objects.lock_challenge(attempt.challenge_id), attempt, files, by)


def _add(attempt: Attempt, new: NewEvidence, written: WrittenFile | None, by: User) -> EvidenceFile:
    challenge = Challenge.objects.lock_challenge(attempt.challenge_id)
    if EvidenceFile.objects.filter(attempt=attempt.pk).count() >= MOST_FILES:
        text = _("An attempt may have {most} files of evidence.")
        raise ServiceError("conflict", text.format(most=MOST_FILES))
    added = EvidenceFile(
        attempt_id=attempt.pk,
        challenge_id=challenge.pk,
        **new.model_dump(),
        **(written._asdict() if written else {}),
        added_by=by,
    )
    _save(challenge, attempt, [added], by)
    return added


def _save(challenge: Challenge, attempt: Attempt, files: Sequence[EvidenceFile], by: User) -> None:
    """Save evidence of a locked challenge, judge the attempt again, and log it."""
    for file in files:
        file.pk = None  # A try before this one was rolled back.
    EvidenceFile.objects.bulk_create(files, batch_size=500)
    if challenge.condition_set_id is not None:
        judge_within(challenge, [attempt.pk], by=by)
    record_events(
        challenge.pk,
        [
            NewEvent(
                EventKind.EVIDENCE,
                {"evidence": file.pk},
                attempt=attempt.pk,
                participant=attempt.participant_id,
            )
            for file in files
        ],
    )
