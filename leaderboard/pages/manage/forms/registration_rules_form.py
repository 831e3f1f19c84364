"""The form for who may take part in a challenge; the service checks what is sent."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import Any, Final

from django import forms
from django.forms import formset_factory
from django.http import QueryDict
from django.utils.text import slugify
from django.utils.translation import gettext_lazy

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import RegistrationRules
from leaderboard.pages.shared.forms import as_sentence
from leaderboard.rules.json.open_dicts import FormValues, SentFields
from leaderboard.rules.json.stored import StoredQuestion
from leaderboard.schemas.choices import BracketChoice, RegistrationMode
from leaderboard.schemas.registration import LONGEST_TERMS, MOST_QUESTIONS
from leaderboard.services.errors import ServiceError

MODES: Final = (
    ("open", gettext_lazy("Everyone, by their first attempt")),
    ("code", gettext_lazy("Whoever knows the code")),
    ("domain", gettext_lazy("Whoever has an e-mail address of a domain")),
    ("approval", gettext_lazy("Whoever an organiser accepts")),
    ("invited", gettext_lazy("Whoever is on the list")),
)
KINDS: Final = (
    ("text", gettext_lazy("Text")),
    ("choice", gettext_lazy("Choice")),
    ("consent", gettext_lazy("Box to tick")),
)
LISTS: Final = ("domains", "invited", "brackets")
EMPTY_QUESTIONS: Final = 2


def _lines(label: Any, help_text: Any = "") -> forms.CharField:
    return forms.CharField(
        label=label, required=False, help_text=help_text, widget=forms.Textarea(attrs={"rows": 3})
    )


class WhoMayForm(FormWithSent):
    """Fields by the names of `RegistrationRulesBody`; lists have an item on each line."""

    mode = forms.ChoiceField(label=gettext_lazy("Who may take part"), choices=MODES)
    code = forms.CharField(
        label=gettext_lazy("Code"),
        required=False,
        max_length=100,
        help_text=gettext_lazy("Give it to those who may take part. Only organisers see it here."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    domains = _lines(
        gettext_lazy("Domains"), gettext_lazy("One on each line, such as example.org.")
    )
    invited = _lines(
        gettext_lazy("Invited people"),
        gettext_lazy("A username or a confirmed e-mail address on each line."),
    )
    smallest_team = forms.IntegerField(label=gettext_lazy("Smallest team"), min_value=1, initial=1)
    largest_team = forms.IntegerField(
        label=gettext_lazy("Largest team"),
        min_value=1,
        initial=1,
        help_text=gettext_lazy("Members. 1: no teams."),
    )
    teams_fixed_at = forms.DateTimeField(
        label=gettext_lazy("Teams are fixed from (UTC)"),
        required=False,
        help_text=gettext_lazy("From then on, the members of teams cannot change. Empty: never."),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    brackets = _lines(
        gettext_lazy("Brackets"), gettext_lazy("Divisions such as Pupils, one on each line.")
    )
    bracket_choice = forms.ChoiceField(
        label=gettext_lazy("Who chooses the bracket"),
        choices=[
            (BracketChoice.CHOSEN.value, gettext_lazy("Participants, when they register")),
            (BracketChoice.ASSIGNED.value, gettext_lazy("Organisers")),
        ],
    )
    terms = forms.CharField(
        label=gettext_lazy("Terms"),
        required=False,
        max_length=LONGEST_TERMS,
        help_text=gettext_lazy("Markdown. After a change, everybody has to accept them again."),
        widget=forms.Textarea(attrs={"rows": 8}),
    )


class QuestionForm(FormWithSent):
    """A question that people answer when they register; without a label, there is none."""

    key = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)
    label = forms.CharField(label=gettext_lazy("Question"), required=False, max_length=300)
    kind = forms.ChoiceField(label=gettext_lazy("Answer"), choices=KINDS)
    options = forms.CharField(
        label=gettext_lazy("Options of a choice, with commas"), required=False, max_length=4000
    )
    required = forms.BooleanField(label=gettext_lazy("An answer is needed"), required=False)


QuestionSet = formset_factory(
    QuestionForm, extra=EMPTY_QUESTIONS, max_num=MOST_QUESTIONS, absolute_max=MOST_QUESTIONS + 1
)


class WholeForm:
    """The rules and their questions, which are sent together."""

    def __init__(self, rules: RegistrationRules | None, data: QueryDict | None = None) -> None:
        self.rules = WhoMayForm(data, initial=_initial(rules))
        asked = [_asked(question) for question in rules.questions] if rules else []
        self.questions = QuestionSet(data, initial=asked, prefix="questions")

    def is_valid(self) -> bool:
        return self.rules.is_valid() and self.questions.is_valid()

    @property
    def has_errors(self) -> bool:
        return bool(self.rules.errors) or any(self.questions.errors)

    def body(self) -> SentFields:
        """The rules as the API would be sent them. Call it after `is_valid`."""
        given = dict(self.rules.cleaned_data)
        moment = given.pop("teams_fixed_at")
        lists = {name: _items(given.pop(name).splitlines()) for name in LISTS}
        fixed = moment.astimezone(UTC).isoformat() if moment else None
        questions = [_question(form.cleaned_data) for form in self._filled()]
        return {**given, **lists, "teams_fixed_at": fixed, "questions": questions}

    def explain(self, refused: ServiceError) -> None:
        """Add the messages of an error to the fields that it names."""
        for path, texts in refused.fields.items():
            name, *rest = path.split(".")
            form: forms.Form = self.rules
            field: str | None = name if name in WhoMayForm.base_fields else None
            if name == "questions" and len(rest) > 1 and rest[0].isdigit():
                form = self._filled()[int(rest[0])]
                field = rest[1] if rest[1] in QuestionForm.base_fields else "label"
            for text in texts:
                form.add_error(field, as_sentence(text.removeprefix(f"{path}: ")))
        if not refused.fields:
            self.rules.add_error(None, refused.message)

    def _filled(self) -> Sequence[forms.Form]:
        return [form for form in self.questions.forms if form.cleaned_data.get("label")]


def _initial(rules: RegistrationRules | None) -> FormValues:
    if rules is None:
        return {"mode": RegistrationMode.OPEN.value}
    plain = {name: getattr(rules, name) for name in WhoMayForm.base_fields if name not in LISTS}
    return plain | {name: "\n".join(getattr(rules, name)) for name in LISTS}


def _asked(question: StoredQuestion) -> FormValues:
    """The initial values of the fields of a question."""
    return {**question, "options": ", ".join(question.get("options", ()))}


def _question(given: FormValues) -> StoredQuestion:
    """A question by the names of the API. A new one gets its key from its label."""
    made = slugify(given["label"]).replace("-", "_")[:40].strip("_")
    key = given["key"] or (made if made[:1].isalpha() else f"question_{made}"[:40])
    return {
        "key": key,
        "label": given["label"],
        "kind": given["kind"],
        "options": _items(given["options"].split(",")),
        "required": given["required"],
    }


def _items(texts: Sequence[str]) -> list[str]:
    return [text.strip() for text in texts if text.strip()]
