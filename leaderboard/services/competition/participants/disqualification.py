"""Disqualifying a participant of a challenge, with all its attempts, and undoing it.

A disqualified participant stays on the board, last and without a rank, with the public reason. Its
attempts stay readable, and it may not submit.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TypeVar

from django.utils.translation import gettext as _
from pydantic import TypeAdapter

from leaderboard.models import Challenge, Registration, ScoringConfig, User
from leaderboard.rules.json.values import JsonObject
from leaderboard.schemas.disqualifications import APPEAL, DISQUALIFICATION
from leaderboard.schemas.errors import SchemaError, checked
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.standings.counting import recount
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.mail.decisions import (
    EACH,
    tell_of_appeal,
    tell_of_disqualification,
)
from leaderboard.services.competition.participants.registration import registration_of
from leaderboard.services.errors import ServiceError, refused
from leaderboard.services.transactions import retried

T = TypeVar("T")


def disqualify(registration: Registration, fields: object, *, by: User | None) -> Registration:
    """Take a participant out of the ranking. fields: as in `Disqualification`.

    For a participant that is disqualified already, only the reason changes. Raises ServiceError.
    """
    reason = _checked(DISQUALIFICATION, fields).reason
    return retried(partial(_set, registration, reason, by))


def reinstate(registration: Registration, *, by: User | None) -> Registration:
    """Put a participant back into the ranking. Raises ServiceError (`conflict`)."""
    return retried(partial(_set, registration, None, by))


def appeal(challenge: Challenge, user: User, fields: object) -> Registration:
    """Store what a member of a disqualified participant answers, in place of an earlier answer.

    fields: as in `Appeal`. Raises ServiceError: `not_found` if the user does not take part,
    `conflict` if the participant is not disqualified.
    """
    text = _checked(APPEAL, fields).text
    registration = registration_of(challenge, user)
    if registration is None:
        raise ServiceError("not_found", _("You do not take part in this challenge."))
    return retried(partial(_appeal, registration, text))


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


def _set(registration: Registration, reason: str | None, by: User | None) -> Registration:
    """reason: None reinstates the participant."""
    challenge = Challenge.objects.lock_challenge(registration.challenge_id)
    locked = Registration.objects.select_for_update().get(pk=registration.pk)
    was_out, before = locked.disqualified_at is not None, _fields_for_log(locked)
    if reason is None and not was_out:
        raise ServiceError("conflict", _("Only a disqualified participant can be reinstated."))
    if reason is None:
        locked.disqualified_at, locked.disqualified_by = None, None
    elif not was_out:
        locked.disqualified_at, locked.disqualified_by = received_now(), by
        locked.appeal, locked.appealed_at = "", None
        locked.appeal_answer, locked.appeal_answered_at = "", None
    locked.disqualified_reason = reason or ""
    locked.save()
    record(
        challenge.pk,
        AuditKind.REGISTRATION,
        by=by,
        before=before,
        after=_fields_for_log(locked),
        participant=locked.participant,
        public=True,
    )
    if was_out != (locked.disqualified_at is not None):
        configs = ScoringConfig.objects.filter(
            challenge=challenge, number__gte=challenge.shown.number
        )
        for config in configs:
            recount(config, locked.participant_id)
    if before != _fields_for_log(locked):
        tell_of_disqualification(locked)
    Challenge.objects.bump(challenge.pk)
    return locked


def _appeal(registration: Registration, text: str) -> Registration:
    locked = Registration.objects.select_for_update().get(pk=registration.pk)
    if locked.disqualified_at is None:
        raise ServiceError("conflict", _("Only a disqualified participant may appeal."))
    is_told = locked.appealed_at is not None and locked.appealed_at > received_now() - EACH
    locked.appeal, locked.appealed_at = text, received_now()
    locked.save(update_fields=["appeal", "appealed_at"])
    if not is_told:
        tell_of_appeal(locked)
    return locked


def _fields_for_log(registration: Registration) -> JsonObject:
    return {
        "disqualified": registration.disqualified_at is not None,
        "disqualified_reason": registration.disqualified_reason,
    }


def _checked(adapter: TypeAdapter[T], fields: object) -> T:
    try:
        return checked(adapter, fields)
    except SchemaError as error:
        raise refused(error) from None
