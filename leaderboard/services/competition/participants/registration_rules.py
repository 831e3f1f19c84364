"""The rules of registration: who may take part in a challenge, and what they answer."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max

from leaderboard.models import Challenge, Registration, RegistrationRules, User
from leaderboard.rules.json.values import JsonObject
from leaderboard.schemas.choices import RegistrationMode
from leaderboard.schemas.errors import checked
from leaderboard.schemas.registration import (
    MOST_INVITED,
    REGISTRATION_RULES,
    STORED_QUESTIONS,
    Question,
)
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.errors import validated


def declare_rules(
    challenge: Challenge, fields: object, *, by: User | None = None
) -> RegistrationRules:
    """Set the rules of who may take part in a challenge; they replace the old ones.

    fields: as in `RegistrationRulesBody`. Changed terms get a new version. Raises ServiceError.
    """
    wanted = validated(REGISTRATION_RULES, fields)
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
