"""Registering for a challenge, as the captain of a participant.

Whether a registered participant may submit is in `taking_part`.
"""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, Entry, Participant, Registration, RegistrationRules, User
from leaderboard.schemas.choices import BracketChoice, RegistrationMode, RegistrationStatus
from leaderboard.schemas.registration import NEW_REGISTRATION, NewRegistration
from leaderboard.services.competition.mail.decisions import tell_of_waiting
from leaderboard.services.competition.participants.barred import check_not_barred
from leaderboard.services.competition.participants.participant_batch import participant_to_register
from leaderboard.services.competition.participants.registration_answers import (
    accepted_terms,
    check_may_leave,
    check_own_bracket,
    checked_answers,
)
from leaderboard.services.competition.participants.registration_rules import questions_of
from leaderboard.services.competition.participants.taking_part import (
    only_captain,
    registered_event,
    rules_of,
)
from leaderboard.services.competition.participants.who_may_register import check_may_register
from leaderboard.services.competition.roles import check_takes_part, organises
from leaderboard.services.errors import ServiceError, validated
from leaderboard.services.events.record import record_events


def registration_of(challenge: Challenge, user: User) -> Registration | None:
    """The newest registration of the participants that the user is a member of now.

    A member about whom an organiser has not decided yet gets it as `pending`, with their own
    answers instead of the team's.
    """
    mine = {entry.participant_id: entry for entry in Entry.objects.of(user, challenge)}
    rows = Registration.objects.filter(challenge=challenge, participant__in=mine)
    newest = rows.select_related("participant").order_by("-created_at", "-pk").first()
    if newest and mine[newest.participant_id].is_waiting:
        newest.answers = mine[newest.participant_id].answers
        newest.appeal = newest.appeal_answer = ""
        if newest.status == RegistrationStatus.ACCEPTED:
            newest.status = RegistrationStatus.PENDING.value
    return newest


def needs_approval(rules: RegistrationRules | None) -> bool:
    """Whether organisers decide about everybody who wants to take part."""
    return rules is not None and rules.mode == RegistrationMode.APPROVAL


def must_be_let_in(before: Registration | None) -> bool:
    """Whether the mode of the rules applies to a user, who has this registration or none.

    Who takes part already may change answers and accept new terms, whatever the mode is now.
    """
    return before is None or before.status == RegistrationStatus.DECLINED


def register(challenge: Challenge, user: User, fields: object) -> Registration:
    """Register the user as the captain of a participant, or change their registration.

    fields: as in `NewRegistration`. A registration that an organiser declined is sent to them
    again. Raises ServiceError: `invalid`, `permission_denied` (the name belongs to others; the
    code, the address or the list), `conflict` (they take part under another name), `closed`,
    `throttled` (too many codes were tried).
    """
    new = validated(NEW_REGISTRATION, fields)
    try:
        with transaction.atomic():
            Challenge.objects.lock_challenge_shared(challenge.pk)
            return _registered(challenge, user, new)
    except IntegrityError:
        raise _takes_part_already() from None


def _registered(challenge: Challenge, user: User, new: NewRegistration) -> Registration:
    stored = Challenge.objects.select_related("registration_rules", "tenant").get(pk=challenge.pk)
    rules = rules_of(stored)
    if not stored.is_active:
        raise ServiceError("closed", _("{name} takes no attempts.").format(name=stored.name))
    check_takes_part(user, stored)
    if must_be_let_in(registration_of(stored, user)):
        check_may_register(rules, user, new.code)
    answers = checked_answers(questions_of(rules), new.answers)
    terms = accepted_terms(rules, new)
    check_own_bracket(rules, new.bracket)
    participant = participant_to_register(stored, user, new.participant, kind=new.kind)
    if not organises(user, stored):
        check_not_barred(stored, user, but=participant.pk)
    before = _before(stored, participant, user)
    if before is None and participant.owner_id != user.pk:
        raise ServiceError("permission_denied", only_captain())
    registration = before or Registration(challenge=stored, participant=participant)
    waits = False
    if before is None or before.status == RegistrationStatus.DECLINED:
        waits = needs_approval(rules) or before is not None
        registration.status = (
            RegistrationStatus.PENDING.value if waits else RegistrationStatus.ACCEPTED.value
        )
    registration.answers, registration.terms_version = answers, terms
    if rules and rules.bracket_choice == BracketChoice.CHOSEN:
        if before and before.bracket != new.bracket:
            check_may_leave(before.bracket, rules, stored)
            Challenge.objects.bump(stored.pk)
        registration.bracket = new.bracket
    registration.save()
    if registration.status == RegistrationStatus.PENDING and waits:
        tell_of_waiting(stored)
    _enter(stored, participant, user, is_sole=rules is not None)
    if before is None or waits:
        record_events(stored.pk, [registered_event(participant.pk, registration.status)])
    return registration


def _before(challenge: Challenge, participant: Participant, user: User) -> Registration | None:
    """The registration that is changed; only its captain may, or its owner if all have left.

    Raises ServiceError.
    """
    registration = (
        Registration.objects.select_for_update()
        .filter(challenge=challenge, participant=participant)
        .first()
    )
    if registration is None:
        return None
    members = Entry.objects.current().filter(challenge=challenge, participant=participant)
    captain = members.filter(role=Entry.Role.CAPTAIN).first()
    is_captain = captain.user_id == user.pk if captain else participant.owner_id == user.pk
    if not is_captain:
        raise ServiceError("permission_denied", _("Only the captain may change the registration."))
    return registration


def _enter(challenge: Challenge, participant: Participant, user: User, *, is_sole: bool) -> None:
    """Make the user the captain, unless they take part as this participant already."""
    mine = Entry.objects.of(user, challenge)
    if mine.filter(participant=participant).exists():
        return
    if is_sole and mine.exists():
        raise _takes_part_already()
    Entry.objects.create(
        challenge=challenge,
        user=user,
        participant=participant,
        role=Entry.Role.CAPTAIN,
        is_sole=is_sole,
    )


def _takes_part_already() -> ServiceError:
    return ServiceError("conflict", _("You take part in this challenge already."))
