"""Verifications of attempts by organisers, their annotations, and decisions about samples.

`Challenge.has_marks`: whether a challenge ever had any. Challenges without marks need no extra
query.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from leaderboard.models import Annotation, Attempt, Challenge, Decision, User, Verification
from leaderboard.rules.json.values import JsonObject
from leaderboard.schemas.marks import NEW_ANNOTATION, NEW_VERIFICATION
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.standings.versions import bump_versions
from leaderboard.services.competition.audit import record_attempt
from leaderboard.services.competition.decisions import DecisionKind, decide
from leaderboard.services.competition.participants.disqualification import PublicReasons
from leaderboard.services.competition.visible.board_rights import BoardRights
from leaderboard.services.errors import ServiceError, validated
from leaderboard.services.events.record import EventKind, record_event

Verifications = Mapping[UUID, Verification]
"""The verifications of some attempts, by the attempts' ids."""


def verify(attempt: Attempt, fields: object, *, by: User) -> Verification:
    """Mark an attempt as verified, in place of an earlier mark. fields: as in `NewVerification`.

    Raises ServiceError: `invalid`, `conflict` if the attempt is not scored.
    """
    new = validated(NEW_VERIFICATION, fields)
    if attempt.status != Attempt.Status.SCORED:
        raise ServiceError("conflict", _("Only a scored attempt can be verified."))
    name = new.by or by.get_full_name() or by.get_username()
    with transaction.atomic():
        _mark(attempt)
        before = Verification.objects.filter(attempt=attempt).first()
        Verification.objects.filter(attempt=attempt).delete()
        made = Verification.objects.create(attempt=attempt, name=name[:120], link=new.link, by=by)
        _record(attempt, before, made, by)
        _record_event(attempt, EventKind.VERIFIED, {"by": made.name, "link": made.link})
        decide(DecisionKind.VERIFIED, attempt=attempt, by=by)
    made.refresh_from_db(fields=["at"])
    return made


def unverify(attempt: Attempt, *, by: User) -> None:
    """Remove the mark. Raises ServiceError (`conflict`) if there is none."""
    with transaction.atomic():
        _mark(attempt)
        before = Verification.objects.filter(attempt=attempt).first()
        if before is None:
            raise ServiceError("conflict", _("The attempt is not verified."))
        _record(attempt, before, None, by)
        decide(DecisionKind.UNVERIFIED, attempt=attempt, by=by)
        before.delete()
        _record_event(attempt, EventKind.UNVERIFIED, None)


def annotate(attempt: Attempt, fields: object, *, by: User) -> Annotation:
    """Note something about an attempt. fields: as in `NewAnnotation`. Raises ServiceError."""
    new = validated(NEW_ANNOTATION, fields)
    with transaction.atomic():
        _mark(attempt)
        made = Annotation.objects.create(
            attempt=attempt, text=new.text, is_public=new.public, by=by
        )
        _record_note(made, by, is_new=True)
    made.refresh_from_db(fields=["at"])
    return made


def remove_annotation(attempt: Attempt, pk: UUID, *, by: User) -> None:
    """Delete an annotation; the log keeps its text. Raises ServiceError (`not_found`)."""
    with transaction.atomic():
        annotation = Annotation.objects.filter(attempt=attempt, pk=pk).first()
        if annotation is None:
            raise ServiceError("not_found", _("There is no such annotation."))
        _record_note(annotation, by, is_new=False)
        annotation.delete()


def verifications_of(challenge: Challenge, attempts: Iterable[UUID | None]) -> Verifications:
    """The verifications of some attempts; no statement if the challenge never had marks."""
    wanted = [pk for pk in attempts if pk is not None] if challenge.has_marks else []
    return Verification.objects.in_bulk(wanted) if wanted else {}


def tells_marks(board: BoardRights) -> bool:
    """Whether a board shows its columns of marks and its filter for verified rows.

    It does so once its challenge has had a mark. If the board is frozen for the reader, an attempt
    that the freeze does not hide must be verified.
    """
    if not board.challenge.has_marks or not board.access.frozen:
        return board.challenge.has_marks
    visible_attempts = Attempt.objects.filter(
        board.access.before_freezes(), challenge=board.challenge
    )
    # Verified attempts are few, so each of them is looked up.
    return Verification.objects.filter(
        Exists(visible_attempts.filter(pk=OuterRef("attempt")))
    ).exists()


class RowMarks:
    """The marks on the rows of a board.

    rows: those that are asked about; None: any. Everything is read when it is first needed, and
    nothing about a challenge without marks.
    """

    def __init__(self, challenge: Challenge, rows: Sequence[BoardRow] | None = None) -> None:
        self._challenge = challenge
        self._rows = rows
        self._reasons = PublicReasons(challenge)

    def reason(self, row: BoardRow) -> str | None:
        """Why the participant of a row is disqualified; None if it is not."""
        return self._reasons.of(row)

    def verified(self, row: BoardRow) -> Verification | None:
        """The verification of the attempt that counts; None if it has none or is hidden."""
        if row.attempt_id is None or not self._challenge.has_marks:
            return None
        return self._verifications.get(row.attempt_id)

    def ruled(self, row: BoardRow) -> int:
        """How many samples of the attempt that counts somebody has decided about; without those of
        private tasks."""
        if row.attempt_id is None or not self._challenge.has_marks:
            return 0
        return self._ruled[row.attempt_id]

    @property
    def has_ruled(self) -> bool:
        """Whether `ruled` is more than 0 for any row."""
        return self._challenge.has_marks and bool(self._ruled)

    @cached_property
    def _ruled(self) -> Counter[UUID | None]:
        decisions = Decision.objects.filter(
            challenge=self._challenge, kind__in=Decision.RULINGS, undone_by=None
        )
        if self._rows is not None:
            ids = [row.attempt_id for row in self._rows if row.attempt_id]
            decisions = decisions.filter(attempt__in=ids)
        shows = self._challenge.shown.shows(None)
        return Counter(
            attempt
            for attempt, task in decisions.values_list("attempt", "task")
            if shows is None or shows(task)
        )

    @cached_property
    def _verifications(self) -> Verifications:
        if self._rows is not None:
            return verifications_of(self._challenge, (row.attempt_id for row in self._rows))
        verifications = Verification.objects.filter(attempt__challenge=self._challenge)
        return {verification.attempt_id: verification for verification in verifications}


def annotations_of(attempt: Attempt, *, organiser: bool) -> Sequence[Annotation]:
    """What a reader of an attempt may read about it, the oldest first."""
    if not attempt.challenge.has_marks:
        return ()
    annotations = Annotation.objects.filter(attempt=attempt).select_related("by")
    return list(annotations if organiser else annotations.filter(is_public=True))


def _mark(attempt: Attempt) -> None:
    """Lock the challenge against another mark, and raise the versions of its boards.

    For a mark behind a freeze only those of boards that have the attempt.
    """
    Challenge.objects.lock_boards(attempt.challenge_id)
    Challenge.objects.filter(pk=attempt.challenge_id).update(has_marks=True)
    bump_versions(attempt.challenge_id, attempt.phase, attempt.submitted_at)
    attempt.challenge.has_marks = True


def _record(
    attempt: Attempt, before: Verification | None, after: Verification | None, by: User
) -> None:
    record_attempt(attempt, _verification_for_log(before), _verification_for_log(after), by=by)


def _record_event(attempt: Attempt, kind: EventKind, secret: JsonObject | None) -> None:
    record_event(
        attempt.challenge_id,
        kind,
        {},
        attempt=attempt.pk,
        participant=attempt.participant_id,
        secret=secret,
    )


def _verification_for_log(verification: Verification | None) -> JsonObject | None:
    return (
        None
        if verification is None
        else {"verified_by": verification.name, "link": verification.link}
    )


def _record_note(note: Annotation, by: User, *, is_new: bool) -> None:
    fields = {"annotation": note.text, "public": note.is_public}
    before, after = (None, fields) if is_new else (fields, None)
    record_attempt(note.attempt, before, after, by=by)
