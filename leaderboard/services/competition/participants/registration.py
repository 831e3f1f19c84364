"""Registering for a challenge: the rules, registrations, and organisers' decisions.

Whether a registered participant may submit is in `taking_part`.
"""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from leaderboard.languages.translation import translated
from leaderboard.models import (
    Challenge,
    Entry,
    Participant,
    Phase,
    Registration,
    RegistrationRules,
    User,
)
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.quoting import sent, with_sent
from leaderboard.schemas.choices import BracketChoice, RegistrationMode, RegistrationStatus
from leaderboard.schemas.errors import SchemaError, checked
from leaderboard.schemas.registration import (
    LONGEST_ANSWER,
    MOST_INVITED,
    NEW_REGISTRATION,
    REGISTRATION_DECISION,
    REGISTRATION_RULES,
    STORED_QUESTIONS,
    NewRegistration,
    Question,
    RegistrationAnswer,
    RegistrationAnswers,
    RegistrationDecision,
    RegistrationRulesBody,
)
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.mail.decisions import (
    tell_of_appeal_answer,
    tell_of_decision,
    tell_of_waiting,
)
from leaderboard.services.competition.participants.barred import check_not_barred
from leaderboard.services.competition.participants.participant_batch import ParticipantBatch
from leaderboard.services.competition.participants.taking_part import (
    only_captain,
    registered_event,
    rules_of,
)
from leaderboard.services.competition.participants.who_may_register import check_may_register
from leaderboard.services.competition.roles import check_takes_part, organises
from leaderboard.services.errors import ServiceError, invalid, refused
from leaderboard.services.events.record import EventKind, record_event, record_events


def declare_rules(
    challenge: Challenge, fields: object, *, by: User | None = None
) -> RegistrationRules:
    """Set the rules of who may take part in a challenge; they replace the old ones.

    fields: as in `RegistrationRulesBody`. Changed terms get a new version. Raises ServiceError.
    """
    try:
        wanted: RegistrationRulesBody = checked(REGISTRATION_RULES, fields)
    except SchemaError as error:
        raise refused(error) from None
    with transaction.atomic():
        Challenge.objects.lock_challenge(challenge.pk)
        before = RegistrationRules.objects.filter(challenge=challenge).first()
        terms = before.terms if before else ""
        version = before.terms_version if before else _last_accepted(challenge)
        rules = RegistrationRules(challenge=challenge, **wanted.columns())
        rules.terms_version = version + (rules.terms != terms)
        rules.save(force_insert=before is None, force_update=before is not None)
        Challenge.objects.bump(challenge.pk)
        fields_for_log = (rules_for_log(before) if before else None, rules_for_log(rules))
        record(
            challenge.pk, AuditKind.RULES, by=by, before=fields_for_log[0], after=fields_for_log[1]
        )
    challenge.registration_rules = rules
    return rules


def _last_accepted(challenge: Challenge) -> int:
    """The newest version of the terms that somebody accepted before the rules were removed."""
    mine = Registration.objects.filter(challenge=challenge)
    return int(mine.aggregate(last=Max("terms_version"))["last"] or 0)


def withdraw_rules(challenge: Challenge, *, by: User | None = None) -> None:
    """Remove the rules: everyone may take part, under any number of names."""
    with transaction.atomic():
        Challenge.objects.lock_challenge(challenge.pk)
        before = RegistrationRules.objects.filter(challenge=challenge).first()
        if before is not None:
            record(challenge.pk, AuditKind.RULES, by=by, before=rules_for_log(before), after=None)
            before.delete()
            Challenge.objects.bump(challenge.pk)


def invite_address(challenge: Challenge, address: str, *, by: User | None) -> None:
    """Put an address on the list of a challenge whose mode is `invited`, if it has room."""
    with transaction.atomic():
        Challenge.objects.lock_challenge(challenge.pk)
        rules = RegistrationRules.objects.filter(
            challenge=challenge, mode=RegistrationMode.INVITED
        ).first()
        invited = rules.invited if rules else []
        if rules is None or address.lower() in invited or len(invited) >= MOST_INVITED:
            return
        before = rules_for_log(rules)
        rules.invited = [*invited, address.lower()]
        rules.save(update_fields=["invited"])
        record(challenge.pk, AuditKind.RULES, by=by, before=before, after=rules_for_log(rules))


def rules_for_log(rules: RegistrationRules) -> JsonObject:
    """The rules as the audit log shows them: with the number of invited people, not their names."""
    hidden = ("challenge", "waiting_told_at")
    names = (
        concrete_field.name
        for concrete_field in rules._meta.concrete_fields
        if concrete_field.name not in hidden
    )
    return {name: getattr(rules, name) for name in names} | {"invited": len(rules.invited)}


def questions_of(rules: RegistrationRules | None) -> tuple[Question, ...]:
    """The questions that people answer when they register."""
    return checked(STORED_QUESTIONS, tuple(rules.questions)) if rules else ()


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
    try:
        new: NewRegistration = checked(NEW_REGISTRATION, fields)
    except SchemaError as error:
        raise refused(error) from None
    try:
        with transaction.atomic():
            Challenge.objects.lock_challenge_shared(challenge.pk)
            return _registered(challenge, user, new)
    except IntegrityError:
        raise _takes_part_already() from None


def decide(registration: Registration, *, by: User | None, fields: object) -> Registration:
    """Accept or decline a registration, or assign a bracket. Raises ServiceError."""
    try:
        decision: RegistrationDecision = checked(REGISTRATION_DECISION, fields)
    except SchemaError as error:
        raise refused(error) from None
    with transaction.atomic():
        Challenge.objects.lock_challenge(registration.challenge_id)
        # The challenge comes with it: a nullable join cannot be locked on PostgreSQL.
        locked = Registration.objects.select_for_update().get(pk=registration.pk)
        before = _decision_for_log(locked)
        if decision.bracket is not None:
            rules = rules_of(Challenge.objects.get(pk=locked.challenge_id))
            check_bracket(rules, decision.bracket)
            locked.bracket = decision.bracket
            Challenge.objects.bump(locked.challenge_id)
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
        if locked.status == RegistrationStatus.ACCEPTED != before["status"]:
            waiting = Entry.objects.filter(challenge=locked.challenge_id, is_waiting=True)
            waiting.filter(participant=locked.participant_id).update(is_waiting=False)
        if locked.status != before["status"] or locked.reason != before["reason"]:
            tell_of_decision(locked)
        if decision.appeal_answer is not None:
            tell_of_appeal_answer(locked)
        if _decision_for_log(locked) != before:
            record_event(
                locked.challenge_id,
                EventKind.DECIDED,
                {"status": locked.status, "bracket": locked.bracket},
                participant=locked.participant_id,
                secret={"reason": locked.reason} if locked.reason else None,
            )
    return locked


def _answer_appeal(registration: Registration, text: str) -> None:
    """Raises ServiceError for a participant that has not appealed."""
    if registration.appealed_at is None:
        raise ServiceError("conflict", _("This participant has not appealed."))
    registration.appeal_answer, registration.appeal_answered_at = text, received_now()


def _decision_for_log(registration: Registration) -> dict[str, str]:
    """What organisers decide of a registration, as the audit log shows it."""
    return {name: getattr(registration, name) for name in ("status", "bracket", "reason")}


def _registered(challenge: Challenge, user: User, new: NewRegistration) -> Registration:
    stored = Challenge.objects.select_related("registration_rules", "tenant").get(pk=challenge.pk)
    rules = rules_of(stored)
    if not stored.is_active:
        raise ServiceError("closed", _("{name} takes no attempts.").format(name=stored.name))
    check_takes_part(user, stored)
    if must_be_let_in(registration_of(stored, user)):
        check_may_register(rules, user, new.code)
    answers = checked_answers(questions_of(rules), new.answers)
    terms = _accepted_terms(rules, new)
    _check_own_bracket(rules, new.bracket)
    participant = _participant(stored, user, new)
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
            _check_may_leave(before.bracket, rules, stored)
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


def _participant(challenge: Challenge, user: User, new: NewRegistration) -> Participant:
    """The participant of this name, made if it is new. Raises ServiceError."""
    participants = ParticipantBatch(challenge, user, organiser=False, registering=True)
    participants.find([new.participant])
    participant = participants.of(new.participant, kind=new.kind)
    participants.keep(participant)
    participants.make()
    participants.check(participant)
    return participant.participant()


def checked_answers(
    questions: tuple[Question, ...], given: RegistrationAnswers
) -> RegistrationAnswers:
    """The answers to the questions. Raises ServiceError with every wrong one."""
    wrong: dict[str, list[str]] = {}
    question_keys = {question.key for question in questions}
    for key in given:
        if key not in question_keys:
            text = _("must be one of {accepted}; got {got}")
            keys = ", ".join(sorted(question_keys)) or "–"
            wrong[f"answers.{key}"] = [text.format(accepted=keys, got=sent(key))]
    for question in questions:
        if error_text := _why_wrong(question, given.get(question.key)):
            wrong[f"answers.{question.key}"] = [error_text]
    if wrong:
        place, (first,) = next(iter(wrong.items()))
        raise ServiceError("invalid", f"{place}: {first}", wrong)
    return {key: value for key, value in given.items() if value not in ("", False)}


def _why_wrong(question: Question, answer: RegistrationAnswer | None) -> str:
    if answer is None or answer == "" or answer is False:
        return _("is required; got nothing") if question.required else ""
    accepted = _accepted(question, answer)
    return translated(with_sent(accepted, answer)) if accepted else ""


def _accepted(question: Question, answer: RegistrationAnswer) -> str:
    """What a question accepts, for an answer that it does not; "" for one that it does."""
    if question.kind == "consent":
        return "" if answer is True else _("must be true or false")
    if not isinstance(answer, str) or len(answer) > LONGEST_ANSWER:
        return _("must be a text of at most {most} characters").format(most=LONGEST_ANSWER)
    if question.kind == "choice" and answer not in question.options:
        return _("must be one of {options}").format(options=", ".join(question.options))
    return ""


def _accepted_terms(rules: RegistrationRules | None, new: NewRegistration) -> int:
    if rules is None or not rules.terms:
        return 0
    if new.accepts_terms != rules.terms_version:
        text = _("must be {version}, the version of the terms")
        text = text.format(version=rules.terms_version)
        raise invalid("accepts_terms", text, got=new.accepts_terms)
    return rules.terms_version


def _check_may_leave(bracket: str, rules: RegistrationRules, challenge: Challenge) -> None:
    """Participants choose another bracket until all phases have closed: the best are known then.

    One that is offered no longer can be left at any time. Raises ServiceError.
    """
    is_offered = bracket in rules.brackets
    running = Phase.objects.filter(challenge=challenge).exclude(closes_at__lte=received_now())
    if is_offered and not running.exists():
        raise ServiceError("closed", _("Brackets cannot change after the last phase has closed."))


def _check_own_bracket(rules: RegistrationRules | None, bracket: str) -> None:
    """The bracket: required if participants choose it, refused if organisers assign it."""
    is_chosen = (
        rules is not None and rules.brackets and rules.bracket_choice == BracketChoice.CHOSEN
    )
    if is_chosen and not bracket:
        raise invalid("bracket", _("is required; got nothing"))
    if bracket and not is_chosen:
        raise invalid(
            "bracket", _("must be left out, because organisers assign brackets here"), got=bracket
        )
    check_bracket(rules, bracket)


def check_bracket(rules: RegistrationRules | None, bracket: str) -> None:
    """Raises ServiceError unless the challenge has the bracket; "" stands for no bracket."""
    brackets = rules.brackets if rules else []
    if bracket and bracket not in brackets:
        text = _("must be one of {known}").format(known=", ".join(brackets) or "–")
        raise invalid("bracket", text, got=bracket)


def _takes_part_already() -> ServiceError:
    return ServiceError("conflict", _("You take part in this challenge already."))
