"""What organisers decide of a registration: its status, its bracket, the answer to an appeal."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, Entry, Registration, User
from leaderboard.schemas.choices import RegistrationStatus
from leaderboard.schemas.registration import REGISTRATION_DECISION
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.mail.decisions import tell_of_appeal_answer, tell_of_decision
from leaderboard.services.competition.participants.registration_answers import check_bracket
from leaderboard.services.competition.participants.taking_part import rules_of
from leaderboard.services.errors import ServiceError, validated
from leaderboard.services.events.record import EventKind, record_event


def decide(registration: Registration, *, by: User | None, fields: object) -> Registration:
    """Accept or decline a registration, or assign a bracket. Raises ServiceError."""
    decision = validated(REGISTRATION_DECISION, fields)
    with transaction.atomic():
        Challenge.objects.lock_challenge(registration.challenge_id)
        # The challenge comes with it: a nullable join cannot be locked on PostgreSQL.
        locked = Registration.objects.select_for_update().get(pk=registration.pk)
        before = _decision_for_log(locked)
        if decision.bracket is not None:
            _assign_bracket(locked, decision.bracket)
        if decision.appeal_answer is not None:
            _answer_appeal(locked, decision.appeal_answer)
        if decision.status is not None:
            locked.status = decision.status.value
            is_declined = decision.status == RegistrationStatus.DECLINED
            locked.reason = decision.reason if is_declined else ""
            locked.decided_by, locked.decided_at = by, received_now()
        locked.save()
        record(
            locked.challenge_id,
            AuditKind.REGISTRATION,
            by=by,
            before=before,
            after=_decision_for_log(locked),
            participant=locked.participant,
        )
        _tell(locked, before, is_appeal_answered=decision.appeal_answer is not None)
    return locked


def _assign_bracket(registration: Registration, bracket: str) -> None:
    check_bracket(rules_of(Challenge.objects.get(pk=registration.challenge_id)), bracket)
    registration.bracket = bracket
    Challenge.objects.bump(registration.challenge_id)


def _answer_appeal(registration: Registration, text: str) -> None:
    """Raises ServiceError for a participant that has not appealed."""
    if registration.appealed_at is None:
        raise ServiceError("conflict", _("This participant has not appealed."))
    registration.appeal_answer, registration.appeal_answered_at = text, received_now()


def _decision_for_log(registration: Registration) -> dict[str, str]:
    return {name: getattr(registration, name) for name in ("status", "bracket", "reason")}


def _tell(registration: Registration, before: dict[str, str], *, is_appeal_answered: bool) -> None:
    """Let waiting members in if it is accepted now, send the mails and write the log."""
    if registration.status == RegistrationStatus.ACCEPTED != before["status"]:
        waiting = Entry.objects.filter(challenge=registration.challenge_id, is_waiting=True)
        waiting.filter(participant=registration.participant_id).update(is_waiting=False)
    if registration.status != before["status"] or registration.reason != before["reason"]:
        tell_of_decision(registration)
    if is_appeal_answered:
        tell_of_appeal_answer(registration)
    if _decision_for_log(registration) != before:
        record_event(
            registration.challenge_id,
            EventKind.DECIDED,
            {"status": registration.status, "bracket": registration.bracket},
            participant=registration.participant_id,
            secret={"reason": registration.reason} if registration.reason else None,
        )
