"""What people say when they register: answers to questions, accepted terms, a bracket."""

from __future__ import annotations

from django.utils.translation import gettext as _

from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, Phase, RegistrationRules
from leaderboard.rules.texts.quoting import sent, with_sent
from leaderboard.schemas.choices import BracketChoice
from leaderboard.schemas.registration import (
    LONGEST_ANSWER,
    NewRegistration,
    Question,
    RegistrationAnswer,
    RegistrationAnswers,
)
from leaderboard.services.competition.clock import received_now
from leaderboard.services.errors import ServiceError, invalid


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


def accepted_terms(rules: RegistrationRules | None, new: NewRegistration) -> int:
    if rules is None or not rules.terms:
        return 0
    if new.accepts_terms != rules.terms_version:
        text = _("must be {version}, the version of the terms")
        text = text.format(version=rules.terms_version)
        raise invalid("accepts_terms", text, got=new.accepts_terms)
    return rules.terms_version


def check_may_leave(bracket: str, rules: RegistrationRules, challenge: Challenge) -> None:
    """Participants choose another bracket until all phases have closed: the best are known then.

    One that is offered no longer can be left at any time. Raises ServiceError.
    """
    is_offered = bracket in rules.brackets
    running = Phase.objects.filter(challenge=challenge).exclude(closes_at__lte=received_now())
    if is_offered and not running.exists():
        raise ServiceError("closed", _("Brackets cannot change after the last phase has closed."))


def check_own_bracket(rules: RegistrationRules | None, bracket: str) -> None:
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
