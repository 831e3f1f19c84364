"""Saving drafts of attempts: find their participants, and write everything at once.

Everything here runs in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import partial

from django.db import transaction
from django.utils.translation import gettext

from leaderboard.models import Attempt, Challenge, Participant, User
from leaderboard.models.bulk import among
from leaderboard.services.attempts.admitting import Admitting, lock_for_rules
from leaderboard.services.attempts.drafts import Draft, Drafting, save_drafts, save_evidence
from leaderboard.services.attempts.new_attempts import Accepted, BulkResult
from leaderboard.services.attempts.outcomes import Outcomes, Refusals
from leaderboard.services.attempts.waiting import QueuePlaces, participant_is_full
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.participants.participant_batch import ParticipantBatch
from leaderboard.services.competition.participants.participant_record import ParticipantRecord
from leaderboard.services.competition.participants.taking_part import has_teams, registered_event
from leaderboard.services.competition.quotas.admission import Admission, Charge
from leaderboard.services.competition.quotas.agreements import mark_late_phases
from leaderboard.services.competition.roles import check_takes_part
from leaderboard.services.errors import ServiceError
from leaderboard.services.events.record import EventKind, NewEvent, record_events
from leaderboard.services.files.budgets import check_room, check_size


class Batch:
    """Attempts of one user at one challenge.

    lines: how many the request has. received_at: when the request began, by the database's clock;
    None: now. only_as: the only participant that they may name; None: any.
    """

    def __init__(
        self,
        challenge: Challenge,
        user: User,
        *,
        organiser: bool,
        lines: int = 1,
        received_at: datetime | None = None,
        only_as: int | None = None,
    ) -> None:
        self.challenge = challenge
        self.drafting = Drafting(challenge, user)
        self.organiser = organiser
        self.user = user
        self._only_as = only_as
        self._received_at = received_at or received_now()
        self._stored = challenge
        self._lines = lines
        self._places: QueuePlaces | None = None
        self._places_before: QueuePlaces | None = None
        self._has_limits = False
        self._registered: set[int] = set()

    def save_one(self, draft: Draft) -> Attempt:
        """Save one draft as an attempt. Raises ServiceError."""
        admission, (draft,) = self._current([draft])
        for refused in (self._place([draft]) or _late(admission, [draft])).values():
            raise refused
        if draft.new.file:
            size, who = draft.new.file.stored.size, draft.participant.id
            check_size(size, admission.phase(draft.in_phase).file_mib)
            check_room(self.challenge, size, participant=who)
        self._queue([draft], self._hold([draft]))
        admitting = Admitting(self.drafting.challenge, self._stored)
        admitting.judge([draft])
        attempt = Attempt(**self.drafting.fields(draft))
        attempt.challenge = self.drafting.challenge
        attempt.scoring_config = self.drafting.challenge.newest
        attempt.submitted_by = self.user
        attempt.phase = admission.phase(draft.in_phase)
        attempt.participant = draft.participant.participant()
        attempt.save(force_insert=True)
        save_evidence(self.drafting, [draft])
        admitting.save([draft])
        admission.charge(draft.in_phase, attempt.participant_id)
        self._record([draft])
        return attempt

    def save(self, drafts: Sequence[Draft], *, atomic: bool, dry_run: bool = False) -> BulkResult:
        """Save drafts; with `atomic`, none is saved if one is refused, with `dry_run` none at all.

        Both then roll the caller's transaction back. If the key of a draft was used before, the
        result is the attempt that it made then. Call `undo` if the transaction is rolled back.
        Raises ServiceError: `closed`, `not_open`, `throttled`.
        """
        self._places_before = self._places and self._places.copy()
        outcomes = self._made_earlier(drafts)
        try:
            admission, drafts = self._current(drafts)
        except ServiceError as closed:
            if (
                dry_run
                or not outcomes.accepted
                or (atomic and len(outcomes.accepted) < len(drafts))
            ):
                raise
            outcomes.refuse({draft.position: closed for draft in outcomes.pending(drafts)})
            return outcomes.result(drafts)
        new_drafts = outcomes.pending(drafts)
        outcomes.refuse(self._place(new_drafts))
        outcomes.refuse(_late(admission, outcomes.pending(new_drafts)))
        places = self._hold(outcomes.pending(new_drafts))
        if _without_room(places, outcomes.pending(new_drafts)):  # A quota is the better reason.
            outcomes.refuse(_over_quota(admission, outcomes.pending(new_drafts)))
        with_participants = outcomes.pending(new_drafts)
        full = _without_room(places, with_participants)
        none_fits = atomic or len(full) == len(with_participants)
        if full and none_fits and not (outcomes.refusals or dry_run):
            raise participant_is_full()
        outcomes.refuse(full)
        outcomes.refuse(_charged(admission, outcomes.pending(new_drafts)))
        if dry_run or (atomic and outcomes.refusals):
            transaction.set_rollback(True)
            return outcomes.result(())
        to_save = outcomes.pending(new_drafts)
        self._registered -= _delete_unused_participants(new_drafts, to_save)
        self._queue(to_save, places)
        admitting = Admitting(self.drafting.challenge, self._stored)
        admitting.judge(to_save)
        save_drafts(self.drafting, to_save)
        admitting.save(to_save)
        self._record(to_save)
        outcomes.accept({draft.position: _accepted(draft) for draft in to_save})
        return outcomes.result(drafts)

    def undo(self) -> None:
        """Forget the places that the last `save` gave, as its transaction was rolled back."""
        self._places = self._places_before

    def _record(self, drafts: Sequence[Draft]) -> None:
        version = self.drafting.challenge.newest.number
        events = [registered_event(participant) for participant in sorted(self._registered)]
        events += [
            NewEvent(
                EventKind.RECEIVED,
                {"phase": draft.phase_id, "version": version},
                draft.pk,
                draft.participant.id,
            )
            for draft in drafts
        ]
        record_events(self.challenge.pk, events)

    def _current(self, drafts: Sequence[Draft]) -> tuple[Admission, Sequence[Draft]]:
        """The rules that hold now, and the drafts.

        The drafts are made again if the challenge has another scoring config by now. Raises
        ServiceError: `closed`, `not_open`.
        """
        lock_for_rules(self.challenge)
        admission = Admission(
            self.drafting.challenge,
            self._received_at,
            user=self.user,
            organiser=self.organiser,
        )
        self._stored = admission.challenge
        if not self.organiser:
            check_takes_part(self.user, self._stored)
        self._has_limits = admission.has_limits
        if not self.drafting.holds_for(admission.challenge):
            self.drafting = Drafting(admission.challenge, self.user)
            drafts = [
                self.drafting.draft(draft.position, draft.new, draft.use, draft.wrong_document)
                for draft in drafts
            ]
        for draft in drafts:
            draft.submitted_at = draft.new.submitted_at or self._received_at
            draft.received_at = self._received_at
            try:
                phase = admission.phase_of(draft.new.phase, draft.new.submitted_at)
            except ServiceError as refused:
                draft.refused = draft.refused or refused
                continue
            draft.phase_id, draft.charged_day = phase.pk, admission.charged_day(phase.pk)
        return admission, drafts

    def _made_earlier(self, drafts: Iterable[Draft]) -> Outcomes:
        """Accept the drafts that made an attempt before; refuse those whose key made another."""
        outcomes = Outcomes()
        by_key = {draft.use.key: draft for draft in drafts if draft.use.is_checked}
        if not by_key:
            return outcomes
        own_attempts = Attempt.objects.filter(
            challenge=self.drafting.challenge,
            submitted_by=self.user,
            idempotency_key__in=among(by_key),
        )
        columns = "idempotency_key", "body_hash", "pk", "participant__handle", "instance_count"
        for key, body_hash, pk, handle, instances in own_attempts.values_list(*columns):
            draft = by_key[key]
            if body_hash == draft.use.body_hash:
                outcomes.accept({draft.position: Accepted(pk, handle, instances)})
            else:
                outcomes.refuse({draft.position: used_for_another()})
        return outcomes

    def _place(self, drafts: Sequence[Draft]) -> Refusals:
        """Give each draft its participant, an existing or a new one; returns the refused drafts."""
        if has_teams(self._stored):  # A team that merges meanwhile submits before or after it.
            Challenge.objects.lock_challenge_shared(self._stored.pk)
        participants = ParticipantBatch(
            self._stored,
            self.user,
            organiser=self.organiser,
            has_limits=self._has_limits,
            only_as=self._only_as,
        )
        participants.find(draft.new.participant for draft in drafts)
        refusals = _refused(drafts, partial(_enter, participants))
        if participants.make():
            entered = [draft for draft in drafts if draft.position not in refusals]
            refusals |= _refused(entered, lambda draft: participants.check(draft.participant))
        entered = [draft for draft in drafts if draft.position not in refusals]
        self._registered = participants.register(draft.participant for draft in entered)
        return refusals

    def _hold(self, drafts: Sequence[Draft]) -> QueuePlaces:
        """The places for drafts with participants: call `_queue` after others were refused.

        Attempts that an organiser sends in bulk, or with their own time, are history.
        """
        if self._places is None:
            is_history = self._lines > 1 or any(draft.new.submitted_at for draft in drafts)
            self._places = QueuePlaces(
                self.challenge.tenant_id,
                Attempt.Priority(int(self.organiser and is_history)),
                is_limited=not self.organiser,
            )
        participants = [draft.participant for draft in drafts]
        self._places.hold([participant.id for participant in participants], new=_new(participants))
        return self._places

    def _queue(self, drafts: Sequence[Draft], places: QueuePlaces) -> None:
        """Give drafts their places among the waiting attempts.

        Raises ServiceError: `throttled`, if too many attempts would wait.
        """
        participants = [draft.participant for draft in drafts]
        long = {at for at, draft in enumerate(drafts) if draft.evaluation}
        times = places.due_times(
            [participant.id for participant in participants], new=_new(participants), long=long
        )
        for draft, due_at in zip(drafts, times, strict=True):
            draft.priority, draft.due_at = places.priority, due_at


def used_for_another() -> ServiceError:
    return ServiceError(
        "conflict",
        gettext("This Idempotency-Key was used for an attempt with another body."),
        {"Idempotency-Key": [gettext("was used for another body")]},
    )


def _new(participants: Iterable[ParticipantRecord]) -> set[int]:
    """The ids of participants that this transaction has created."""
    return {participant.id for participant in participants if participant.is_new}


def _enter(participants: ParticipantBatch, draft: Draft) -> None:
    if draft.refused:
        raise draft.refused
    participant = participants.of(draft.new.participant, draft.new.name, draft.new.kind)
    if draft.refused_evidence:
        raise draft.refused_evidence
    participants.keep(participant)
    draft.participant_or_none = participant


def _refused(drafts: Iterable[Draft], step: Callable[[Draft], None]) -> Refusals:
    refusals: Refusals = {}
    for draft in drafts:
        try:
            step(draft)
        except ServiceError as refused:
            refusals[draft.position] = refused
    return refusals


def _late(admission: Admission, drafts: Sequence[Draft]) -> Refusals:
    """Give late drafts their agreed deadlines; returns those of other participants as refused."""

    def agree(draft: Draft) -> None:
        draft.agreed_until = admission.agreed_until(draft.in_phase, draft.participant.id)

    refusals = _refused(drafts, agree)
    if late := [draft.in_phase for draft in drafts if draft.agreed_until]:
        mark_late_phases(late)
    return refusals


def _without_room(places: QueuePlaces, drafts: Sequence[Draft]) -> Refusals:
    """The drafts of participants of whom too many attempts would wait."""
    full = places.full([draft.participant.id for draft in drafts])
    return {
        draft.position: participant_is_full() for draft in drafts if draft.participant.id in full
    }


def _delete_unused_participants(drafts: Iterable[Draft], taken: Iterable[Draft]) -> set[int]:
    """Delete the participants that were created for these drafts and have none in `taken`.

    Returns their ids.
    """
    made = _new(draft.participant_or_none for draft in drafts if draft.participant_or_none)
    if unused := made.difference(draft.participant.id for draft in taken):
        Participant.objects.filter(pk__in=unused).delete()
    return unused


def _over_quota(admission: Admission, drafts: Sequence[Draft]) -> Refusals:
    """The drafts beyond a limit of their phase; none is counted."""
    before = transaction.savepoint()
    refusals = _charged(admission, drafts)
    transaction.savepoint_rollback(before)
    return refusals


def _charged(admission: Admission, drafts: Sequence[Draft]) -> Refusals:
    """Count drafts towards the quotas of their participants; returns those beyond a limit."""
    charges = [Charge(draft.in_phase, draft.participant.id) for draft in drafts]
    charged = admission.charge_many(charges)
    together = zip(drafts, charged, strict=True)
    return {draft.position: refused for draft, refused in together if refused is not None}


def _accepted(draft: Draft) -> Accepted:
    return Accepted(
        draft.pk,
        draft.participant.handle,
        draft.evaluation.count if draft.evaluation else None,
        draft.judgement,
    )
