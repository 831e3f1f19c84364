"""Saving drafts of attempts: find their participants, and write everything at once.

Everything here runs in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial

from django.db import transaction
from django.utils.translation import gettext

from leaderboard.models import Attempt, Challenge, Participant, User
from leaderboard.models.bulk import among
from leaderboard.services.attempts.drafts import Draft, Drafting, save_drafts, save_evidence
from leaderboard.services.attempts.new_attempts import Accepted, BulkResult, Renamed
from leaderboard.services.attempts.waiting import QueuePlaces, participant_is_full
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.participants.entrants import Entrant
from leaderboard.services.competition.participants.participant_rows import Entrants
from leaderboard.services.competition.participants.taking_part import has_teams
from leaderboard.services.competition.quotas.admission import Admission, Charge
from leaderboard.services.competition.quotas.agreements import tell_of_late
from leaderboard.services.competition.roles import check_takes_part
from leaderboard.services.errors import ServiceError

Refusals = dict[int, ServiceError]
"""Errors by the position of the draft."""


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
        self._user = user
        self._only_as = only_as
        self._received_at = received_at or received_now()
        self._stored = challenge
        self._lines = lines
        self._places: QueuePlaces | None = None
        self._before: QueuePlaces | None = None
        self._has_limits = False

    def save_one(self, draft: Draft) -> Attempt:
        """Save one draft as an attempt. Raises ServiceError."""
        admission, (draft,) = self._current([draft])
        for refused in (self._place([draft]) or _late(admission, [draft])).values():
            raise refused
        self._queue([draft], self._hold([draft]))
        attempt = Attempt(**self.drafting.fields(draft))
        attempt.challenge = self.drafting.challenge
        attempt.scoring_config = self.drafting.challenge.newest
        attempt.submitted_by = self._user
        attempt.phase = admission.phase(draft.in_phase)
        attempt.participant = draft.attempting.participant()
        attempt.save(force_insert=True)
        save_evidence([draft])
        admission.charge(draft.in_phase, attempt.participant_id)
        return attempt

    def save(self, drafts: Sequence[Draft], *, atomic: bool, dry_run: bool = False) -> BulkResult:
        """Save drafts; with `atomic`, none is saved if one is refused, with `dry_run` none at all.

        Both then roll the caller's transaction back. If the key of a draft was used before, the
        result is the attempt that it made then. Call `undo` if the transaction is rolled back.
        Raises ServiceError: `closed`, `not_open`, `throttled`.
        """
        self._before = self._places and self._places.copy()
        there, rejected = self._known(drafts)
        try:
            admission, drafts = self._current(drafts)
        except ServiceError as refused:  # closed; attempts that were made before are still there
            if dry_run or not there or (atomic and len(there) < len(drafts)):
                raise
            new = [each.position for each in drafts if each.position not in there | rejected]
            rejected |= dict.fromkeys(new, refused)
            return _result(drafts, there, rejected)
        fresh = [each for each in drafts if each.position not in there | rejected]
        rejected |= self._place(fresh)
        entered = [each for each in fresh if each.position not in rejected]
        rejected |= _late(admission, entered)
        entered = [each for each in entered if each.position not in rejected]
        places = self._hold(entered)
        beyond = _beyond(places, entered)
        if beyond and (over := _over_quota(admission, entered)):
            rejected |= over
            entered = [each for each in entered if each.position not in rejected]
            beyond = _beyond(places, entered)
        if beyond and not (rejected or dry_run) and (atomic or len(beyond) == len(entered)):
            raise participant_is_full()
        rejected |= beyond
        entered = [each for each in entered if each.position not in rejected]
        rejected |= _charged(admission, entered)
        if dry_run or (atomic and rejected):
            transaction.set_rollback(True)
            return BulkResult([], _in_order(rejected))
        taken = [each for each in entered if each.position not in rejected]
        _forget_unused(fresh, taken)
        self._queue(taken, places)
        save_drafts(self.drafting, taken)
        there |= {each.position: _accepted(each) for each in taken}
        return _result(drafts, there, rejected)

    def undo(self) -> None:
        """Forget the places that the last `save` gave, as its transaction was rolled back."""
        self._places = self._before

    def _current(self, drafts: Sequence[Draft]) -> tuple[Admission, Sequence[Draft]]:
        """The rules that hold now, and the drafts.

        The drafts are made again if the challenge has another scoring config by now. Raises
        ServiceError: `closed`, `not_open`.
        """
        admission = Admission(
            self.drafting.challenge,
            self._received_at,
            user=self._user,
            organiser=self.organiser,
        )
        self._stored = admission.challenge
        if not self.organiser:
            check_takes_part(self._user, self._stored)
        self._has_limits = admission.has_limits
        if not self.drafting.holds_for(admission.challenge):
            self.drafting = Drafting(admission.challenge, self._user)
            drafts = [
                self.drafting.draft(each.position, each.new, each.use, each.wrong_document)
                for each in drafts
            ]
        for draft in drafts:
            draft.submitted_at = draft.new.submitted_at or self._received_at
            try:
                phase = admission.phase_of(draft.new.phase, draft.new.submitted_at)
            except ServiceError as refused:
                draft.refused = draft.refused or refused
                continue
            draft.phase_id, draft.charged_day = phase.pk, admission.charged_day(phase.pk)
        return admission, drafts

    def _known(self, drafts: Iterable[Draft]) -> tuple[dict[int, Accepted], Refusals]:
        """The attempts that drafts made before, and the drafts whose key made another attempt."""
        uses = {each.use.key: each for each in drafts if each.use.is_checked}
        if not uses:
            return {}, {}
        mine = Attempt.objects.filter(
            challenge=self.drafting.challenge,
            submitted_by=self._user,
            idempotency_key__in=among(uses),
        )
        there: dict[int, Accepted] = {}
        rejected: Refusals = {}
        names = "idempotency_key", "body_hash", "pk", "participant__handle", "instance_count"
        for key, body_hash, pk, handle, instances in mine.values_list(*names):
            draft = uses[key]
            if body_hash == draft.use.body_hash:
                there[draft.position] = Accepted(pk, handle, instances)
            else:
                rejected[draft.position] = used_for_another()
        return there, rejected

    def _place(self, drafts: Sequence[Draft]) -> Refusals:
        """Give each draft its participant, an existing or a new one; returns the refused drafts."""
        if has_teams(self._stored):  # A team that merges meanwhile submits before or after it.
            Challenge.objects.lock_challenge_shared(self._stored.pk)
        entrants = Entrants(
            self._stored,
            self._user,
            organiser=self.organiser,
            has_limits=self._has_limits,
            only_as=self._only_as,
        )
        entrants.find(each.new.participant for each in drafts)
        refusals = _each(drafts, partial(_enter, entrants))
        if entrants.make():
            entered = [each for each in drafts if each.position not in refusals]
            refusals |= _each(entered, lambda draft: entrants.check(draft.attempting))
        entered = [each for each in drafts if each.position not in refusals]
        entrants.register(each.attempting for each in entered)
        return refusals

    def _hold(self, drafts: Sequence[Draft]) -> QueuePlaces:
        """The places for drafts with participants: call `_queue` after others were refused.

        Attempts that an organiser sends in bulk, or with their own time, are history.
        """
        if self._places is None:
            is_history = self._lines > 1 or any(each.new.submitted_at for each in drafts)
            self._places = QueuePlaces(
                self.challenge.tenant_id,
                Attempt.Priority(int(self.organiser and is_history)),
                is_limited=not self.organiser,
            )
        entrants = [each.attempting for each in drafts]
        self._places.hold([each.id for each in entrants], new=_new(entrants))
        return self._places

    def _queue(self, drafts: Sequence[Draft], places: QueuePlaces) -> None:
        """Give drafts their places among the waiting attempts.

        Raises ServiceError: `throttled`, if too many attempts would wait.
        """
        entrants = [each.attempting for each in drafts]
        long = {at for at, each in enumerate(drafts) if each.evaluation}
        times = places.due_times([each.id for each in entrants], new=_new(entrants), long=long)
        for draft, due_at in zip(drafts, times, strict=True):
            draft.priority, draft.due_at = places.priority, due_at


def used_for_another() -> ServiceError:
    return ServiceError(
        "conflict",
        gettext("This Idempotency-Key was used for an attempt with another body."),
        {"Idempotency-Key": [gettext("was used for another body")]},
    )


def _new(entrants: Iterable[Entrant]) -> set[int]:
    """The ids of participants that this transaction has created."""
    return {each.id for each in entrants if each.is_new}


def _result(
    drafts: Sequence[Draft], there: Mapping[int, Accepted], rejected: Refusals
) -> BulkResult:
    """there: the attempts of drafts, by position."""
    kept = [(each, there[each.position]) for each in drafts if each.position in there]
    renamed = [
        Renamed(each.position, each.new.participant, accepted.handle)
        for each, accepted in kept
        if each.new.participant != accepted.handle
    ]
    return BulkResult([accepted for _, accepted in kept], _in_order(rejected), renamed)


def _in_order(refusals: Refusals) -> list[tuple[int, ServiceError]]:
    return sorted(refusals.items(), key=lambda each: each[0])


def _enter(entrants: Entrants, draft: Draft) -> None:
    if draft.refused:
        raise draft.refused
    entrant = entrants.of(draft.new.participant, draft.new.name, draft.new.kind)
    if draft.refused_evidence:
        raise draft.refused_evidence
    entrants.keep(entrant)
    draft.entrant = entrant


def _each(drafts: Iterable[Draft], step: Callable[[Draft], None]) -> Refusals:
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
        draft.agreed_until = admission.agreed_until(draft.in_phase, draft.attempting.id)

    refusals = _each(drafts, agree)
    if late := [each.in_phase for each in drafts if each.agreed_until]:
        tell_of_late(late)
    return refusals


def _beyond(places: QueuePlaces, drafts: Sequence[Draft]) -> Refusals:
    """The drafts of participants of whom too many attempts would wait."""
    full = places.full([each.attempting.id for each in drafts])
    return {each.position: participant_is_full() for each in drafts if each.attempting.id in full}


def _forget_unused(drafts: Iterable[Draft], taken: Iterable[Draft]) -> None:
    """Delete the participants that were created for these drafts and have none in `taken`."""
    made = _new(each.entrant for each in drafts if each.entrant)
    if unused := made.difference(each.attempting.id for each in taken):
        Participant.objects.filter(pk__in=unused).delete()


def _over_quota(admission: Admission, drafts: Sequence[Draft]) -> Refusals:
    """The drafts beyond a limit of their phase; none is counted."""
    before = transaction.savepoint()
    refusals = _charged(admission, drafts)
    transaction.savepoint_rollback(before)
    return refusals


def _charged(admission: Admission, drafts: Sequence[Draft]) -> Refusals:
    """Count drafts towards the quotas of their participants; returns those beyond a limit."""
    charges = [Charge(each.in_phase, each.attempting.id) for each in drafts]
    charged = admission.charge_many(charges)
    together = zip(drafts, charged, strict=True)
    return {each.position: refused for each, refused in together if refused is not None}


def _accepted(draft: Draft) -> Accepted:
    return Accepted(
        draft.pk, draft.attempting.handle, draft.evaluation.count if draft.evaluation else None
    )
