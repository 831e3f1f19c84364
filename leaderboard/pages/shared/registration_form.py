"""The form with which people register, generated from the questions of a challenge."""

from __future__ import annotations

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import Challenge, Participant, Registration, RegistrationRules
from leaderboard.rules.json.untyped_dicts import FormValues, SentFields
from leaderboard.schemas.choices import BracketChoice, RegistrationMode
from leaderboard.schemas.registration import LONGEST_ANSWER, Question, RegistrationAnswers
from leaderboard.services.competition.participants.registration import must_be_let_in
from leaderboard.services.competition.participants.registration_rules import questions_of
from leaderboard.services.competition.participants.taking_part import rules_of

LONGEST_NAME = 120


class RegistrationForm(FormWithSent):
    """Fields by the names of `NewRegistration`; those of questions are called by their keys."""

    def __init__(
        self,
        rules: RegistrationRules | None,
        before: Registration | None,
        submitted: QueryDict | None,
        code: str = "",
    ) -> None:
        """code: what the user has typed before."""
        self.rules, self.questions = rules, questions_of(rules)
        super().__init__(submitted, initial=_initial(before), auto_id="register_%s")
        self._add_names(before)
        if rules and rules.mode == RegistrationMode.CODE and must_be_let_in(before):
            self.fields["code"] = forms.CharField(label=_("Code"), max_length=100, initial=code)
        if rules and rules.brackets and rules.bracket_choice == BracketChoice.CHOSEN:
            options = [("", "–"), *((bracket, bracket) for bracket in rules.brackets)]
            self.fields["bracket"] = forms.ChoiceField(label=_("Bracket"), choices=options)
        for question in self.questions:
            self.fields[_name_of(question)] = _field(question)
        if rules and rules.terms:
            self.fields["accepts_terms"] = forms.BooleanField(label=_("I accept the terms"))

    def body(self) -> SentFields:
        """The input in the form of `NewRegistration`."""
        given = self.cleaned_data
        accepted = self.rules.terms_version if self.rules and given.get("accepts_terms") else None
        answers = {question.key: given[_name_of(question)] for question in self.questions}
        return {
            "participant": given["participant"],
            "kind": given["kind"],
            "code": given.get("code", ""),
            "bracket": given.get("bracket", ""),
            "answers": {key: value for key, value in answers.items() if value not in ("", False)},
            "accepts_terms": accepted,
        }

    def _add_names(self, before: Registration | None) -> None:
        self.fields["participant"] = forms.CharField(
            label=_("Name on the leaderboard"),
            max_length=LONGEST_NAME,
            disabled=before is not None,
            help_text=_("It is reserved for you and your team."),
        )
        self.fields["kind"] = forms.ChoiceField(
            label=_("Takes part as"),
            choices=Participant.Kind.choices,
            disabled=before is not None,
            initial=Participant.Kind.PERSON,
        )


class AnswersForm(FormWithSent):
    """The questions of a challenge alone, for those who join a team."""

    def __init__(self, challenge: Challenge | None, submitted: QueryDict | None) -> None:
        self.questions = questions_of(rules_of(challenge)) if challenge else ()
        super().__init__(submitted)
        for question in self.questions:
            self.fields[_name_of(question)] = _field(question)

    @property
    def is_sent(self) -> bool:
        """Whether the request is that of this form, and not of the one that asks for a code."""
        return "answers" in self.data

    def answers(self) -> RegistrationAnswers:
        """The given answers by the keys of their questions. Call it after `is_valid`."""
        given = {question.key: self.cleaned_data[_name_of(question)] for question in self.questions}
        return {key: value for key, value in given.items() if value not in ("", False)}


def _initial(before: Registration | None) -> FormValues:
    if before is None:
        return {}
    answers = {f"answer_{key}": value for key, value in before.answers.items()}
    participant = before.participant
    names = {"participant": participant.handle, "kind": participant.kind}
    return {**answers, **names, "bracket": before.bracket}


def _name_of(question: Question) -> str:
    return f"answer_{question.key}"


def _field(question: Question) -> forms.Field:
    if question.kind == "consent":
        return forms.BooleanField(label=question.label, required=question.required)
    if question.kind == "choice":
        options = [("", "–"), *((option, option) for option in question.options)]
        return forms.ChoiceField(label=question.label, choices=options, required=question.required)
    return forms.CharField(
        label=question.label, required=question.required, max_length=LONGEST_ANSWER
    )
