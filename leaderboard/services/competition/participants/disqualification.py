"""Disqualifying a participant of a challenge, with all its attempts, and undoing it.

A disqualified participant stays on the board, last and without a rank, with the public reason. Its
attempts stay readable, and it may not submit. The decision is about accounts: all of their names in
the challenge are disqualified together, and reinstated together. A name that also has other people
keeps its rank; only the disqualified account may not submit there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property, partial
from uuid import UUID

from django.db.models import Max
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, Entry, Registration, User
from leaderboard.rules.json.values import JsonObject
from leaderboard.schemas.disqualifications import APPEAL, DISQUALIFICATION
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.standings.counting import recount_participants
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.decisions import DecisionKind, decide
from leaderboard.services.competition.mail.decisions import (
    EACH,
    tell_of_appeal,
    tell_of_disqualification,
)
from leaderboard.services.competition.participants.account_names import AccountNames
from leaderboard.services.competition.participants.registration import registration_of
from leaderboard.services.competition.participants.taking_part import member_waits
from leaderboard.services.errors import ServiceError, validated
from leaderboard.services.events.record import EventKind, record_event
from leaderboard.services.transactions import retried


def disqualify(registration: Registration, fields: object, *, by: User | None) -> Registration:
    """Take a participant, and all other names of its accounts alone, out of the ranking.

    fields: as in `Disqualification`.

    For a participant that is disqualified already, only the reason changes. Raises ServiceError.
    """
    reason = validated(DISQUALIFICATION, fields).reason
    return retried(partial(_set, registration, reason, by))


def reinstate(registration: Registration, *, by: User | None) -> Registration:
    """Put a participant back into the ranking, and the names that were disqualified with it.

    Raises ServiceError (`conflict`).
    """
    return retried(partial(_set, registration, None, by))


def appeal(challenge: Challenge, user: User, fields: object) -> Registration:
    """Store what a member of a disqualified participant answers, in place of an earlier answer.

    fields: as in `Appeal`. Raises ServiceError: `not_found` if the user does not take part,
    `conflict` if the participant is not disqualified.
    """
    text = validated(APPEAL, fields).text
    registration = registration_of(challenge, user)
    if registration is None:
        raise ServiceError("not_found", _("You do not take part in this challenge."))
    if Entry.objects.of(user, challenge).filter(is_waiting=True).exists():
        raise ServiceError("conflict", member_waits())
    return retried(partial(_appeal, registration, text, user))


class PublicReasons:
    """The reasons for disqualifications in a challenge, read from the database on first use."""

    def __init__(self, challenge: Challenge) -> None:
        self._challenge = challenge

    def of(self, row: BoardRow) -> str | None:
        """The reason of a row of a board; None if it is not disqualified."""
        if row.unranked != "disqualified":
            return None
        return self._reasons.get(row.participant.pk, "")

    @cached_property
    def _reasons(self) -> dict[int, str]:
        disqualified = Registration.objects.filter(
            challenge=self._challenge, disqualified_at__isnull=False
        )
        return dict(disqualified.values_list("participant", "disqualified_reason"))


def decided_together(
    challenge: Challenge, registrations: Sequence[Registration]
) -> dict[UUID, list[Registration]]:
    """The other registrations that a decision about each of some participants includes, by its id.

    Of a participant in the ranking: those that would be disqualified with it. Of one that is
    disqualified: those that were disqualified by the same decision.
    """
    inside = [
        registration.participant_id
        for registration in registrations
        if registration.disqualified_at is None
    ]
    names = AccountNames(challenge, inside)
    moments = {registration.disqualified_at for registration in registrations} - {None}
    out = Registration.objects.filter(challenge=challenge, disqualified_at__in=moments)
    by_moment: dict[datetime | None, list[Registration]] = defaultdict(list)
    for disqualified in out.select_related("participant").order_by("pk"):
        by_moment[disqualified.disqualified_at].append(disqualified)

    def decided_beside(one: Registration) -> list[Registration]:
        if one.disqualified_at is None:
            same = names.only_of(one.participant_id)
            return [other for other in same if other.disqualified_at is None]
        return [other for other in by_moment[one.disqualified_at] if other.pk != one.pk]

    return {registration.pk: decided_beside(registration) for registration in registrations}


def _set(registration: Registration, reason: str | None, by: User | None) -> Registration:
    """reason: None reinstates the participant."""
    challenge = Challenge.objects.lock_challenge(registration.challenge_id)
    locked = Registration.objects.select_for_update().get(pk=registration.pk)
    was_out, before = locked.disqualified_at is not None, _fields_for_log(locked)
    if reason is None and not was_out:
        raise ServiceError("conflict", _("Only a disqualified participant can be reinstated."))
    together = [
        registration.pk for registration in decided_together(challenge, [locked])[locked.pk]
    ]
    registrations = Registration.objects.select_for_update().filter(pk__in=together).order_by("pk")
    moment = _unused_moment(challenge)
    for disqualified in (locked, *registrations):
        _set_one(challenge, disqualified, reason, moment, by)
    if before != _fields_for_log(locked):
        tell_of_disqualification(locked, [other.participant.shown_name for other in registrations])
    Challenge.objects.bump(challenge.pk)
    return locked


def _unused_moment(challenge: Challenge) -> datetime:
    """Now, or later than all decisions before: the moment tells what was decided together."""
    registrations = Registration.objects.filter(challenge=challenge)
    last = registrations.aggregate(last=Max("disqualified_at"))["last"]
    now = received_now()
    return max(now, last + timedelta(microseconds=1)) if last else now


def _set_one(
    challenge: Challenge,
    registration: Registration,
    reason: str | None,
    moment: datetime,
    by: User | None,
) -> None:
    was_out, before = registration.disqualified_at is not None, _fields_for_log(registration)
    if reason is None:
        registration.disqualified_at, registration.disqualified_by = None, None
    elif not was_out:
        registration.disqualified_at, registration.disqualified_by = moment, by
        registration.appeal, registration.appealed_at = "", None
        registration.appeal_answer, registration.appeal_answered_at = "", None
    registration.disqualified_reason = reason or ""
    registration.save()
    record(
        challenge.pk,
        AuditKind.REGISTRATION,
        by=by,
        before=before,
        after=_fields_for_log(registration),
        participant=registration.participant,
        public=True,
    )
    kind = DecisionKind.REINSTATED if reason is None else DecisionKind.DISQUALIFIED
    if before != _fields_for_log(registration):
        decide(kind, registration=registration, by=by, reason=reason or "")
    if was_out != (registration.disqualified_at is not None):
        recount_participants(challenge, [registration.participant_id])
    if before != _fields_for_log(registration):
        record_event(
            challenge.pk,
            EventKind.REINSTATED if reason is None else EventKind.DISQUALIFIED,
            {},
            participant=registration.participant_id,
            secret={"reason": reason} if reason else None,
        )


def _appeal(registration: Registration, text: str, by: User) -> Registration:
    locked = Registration.objects.select_for_update().get(pk=registration.pk)
    if locked.disqualified_at is None:
        raise ServiceError("conflict", _("Only a disqualified participant may appeal."))
    is_told = locked.appealed_at is not None and locked.appealed_at > received_now() - EACH
    locked.appeal, locked.appealed_at = text, received_now()
    locked.save(update_fields=["appeal", "appealed_at"])
    decide(DecisionKind.APPEALED, registration=locked, by=by, reason=text)
    if not is_told:
        tell_of_appeal(locked)
    return locked


def _fields_for_log(registration: Registration) -> JsonObject:
    return {
        "disqualified": registration.disqualified_at is not None,
        "disqualified_reason": registration.disqualified_reason,
    }
