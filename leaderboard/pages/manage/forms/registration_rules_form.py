"""The form for who may take part in a challenge; the service checks what is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Final

from django import forms
from django.forms import formset_factory
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.forms.errors import FormWithSent
from leaderboard.forms.schema_fields import form_field, typed_value
from leaderboard.models import RegistrationRules
from leaderboard.pages.shared.forms import as_sentence
from leaderboard.rules.json.stored import StoredQuestion
from leaderboard.rules.json.untyped_dicts import FormValues, SentFields
from leaderboard.schemas.registration import MOST_QUESTIONS, RegistrationRulesBody
from leaderboard.services.errors import ServiceError

LABELS: Final[Mapping[str, Mapping[str, str | Promise]]] = {
    "bracket_choice": {
        "chosen": gettext_lazy("Participants, when they register"),
        "assigned": gettext_lazy("Organisers"),
    },
    "mode": {
        "open": gettext_lazy("Everyone, by their first attempt"),
        "code": gettext_lazy("Whoever knows the code"),
        "domain": gettext_lazy("Whoever has an e-mail address of a domain"),
        "approval": gettext_lazy("Whoever an organiser accepts"),
        "invited": gettext_lazy("Whoever is on the list"),
    },
}
"""The labels of choices."""
KINDS: Final = (
    ("text", gettext_lazy("Text")),
    ("choice", gettext_lazy("Choice")),
    ("consent", gettext_lazy("Box to tick")),
)
FIELDS: Final = {
    name: field for name, field in RegistrationRulesBody.model_fields.items() if name != "questions"
}
EMPTY_QUESTIONS: Final = 2


class WhoMayForm(FormWithSent):
    """The fields of `RegistrationRulesBody` but the questions."""

    def __init__(self, data: QueryDict | None, initial: FormValues) -> None:
        super().__init__(data, initial=initial)
        for name, field in FIELDS.items():
            self.fields[name] = form_field(field, LABELS.get(name))
        for name in (*LABELS, "smallest_team", "largest_team"):
            self.fields[name].required = True
        self.fields["mode"].help_text = ""
        self.fields["code"].widget.attrs["autocomplete"] = "off"
        self.fields["terms"].widget.attrs["rows"] = 8
        self.fields["teams_fixed_at"] = forms.DateTimeField(
            label=_("Teams are fixed from (UTC)"),
            required=False,
            help_text=self.fields["teams_fixed_at"].help_text,
            widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        )

    def sent(self) -> SentFields:
        """The rules as the API would be sent them. Call it after `is_valid`."""
        typed = self.cleaned_data
        moment = typed["teams_fixed_at"]
        plain = {name: typed_value(field, typed[name]) for name, field in FIELDS.items()}
        fixed = moment.astimezone(UTC).isoformat() if moment else None
        return {**plain, "teams_fixed_at": fixed}


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
        self.rules = WhoMayForm(data, _initial(rules))
        asked = [
            {**question, "options": ", ".join(question.get("options", ()))}
            for question in (rules.questions if rules else ())
        ]
        self.questions = QuestionSet(data, initial=asked, prefix="questions")

    def is_valid(self) -> bool:
        return self.rules.is_valid() and self.questions.is_valid()

    @property
    def has_errors(self) -> bool:
        return bool(self.rules.errors) or any(self.questions.errors)

    def body(self) -> SentFields:
        """The rules as the API would be sent them. Call it after `is_valid`."""
        questions = [_question(form.cleaned_data) for form in self._filled()]
        return {**self.rules.sent(), "questions": questions}

    def explain(self, refused: ServiceError) -> None:
        """Add the messages of an error to the fields that it names."""
        for path, texts in refused.fields.items():
            name, *rest = path.split(".")
            form: forms.Form = self.rules
            field: str | None = name if name in FIELDS else None
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
        return {name: field.default for name, field in FIELDS.items()}
    return {name: getattr(rules, name) for name in FIELDS}


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
