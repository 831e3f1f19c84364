"""The forms for an attempt by hand: each asks for the values that its challenge ranks by."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.urls import reverse
from django.utils.functional import lazy
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.facts import Fact, facts_on_pages
from leaderboard.languages.translation import translated, translated_lazy
from leaderboard.models import Challenge, Phase
from leaderboard.pages.submit.declared_fields import DeclaringForm
from leaderboard.pages.submit.example import is_long, shortened
from leaderboard.rules.json.strict import InvalidJSON, parse_json
from leaderboard.rules.json.untyped_dicts import FieldOptions, ForeignObject, FormValues
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.quoting import sent
from leaderboard.services.attempts.submit import NewAttempt
from leaderboard.services.imports.examples import example_of, written
from leaderboard.services.imports.needs import Needs, needs_of

OUTCOMES = (
    ("", gettext_lazy("Not said")),
    ("yes", gettext_lazy("Yes")),
    ("no", gettext_lazy("No")),
)
ANSWERS = {"": None, "yes": True, "no": False}
FACTS = tuple(fact for fact in facts_on_pages() if fact.hint)


def fact_field(fact: Fact) -> forms.Field:
    """The field of a fact; unlike a checkbox, a flag may be left open."""
    options: FieldOptions = {
        "label": translated_lazy(fact.label),
        "help_text": translated_lazy(fact.hint),
        "required": False,
    }
    if fact.kind == "flag":
        return forms.ChoiceField(choices=OUTCOMES, **options)
    kind = forms.IntegerField if fact.is_whole else forms.FloatField
    return kind(min_value=0, max_value=fact.most, **options)


def participant_field() -> forms.CharField:
    return forms.CharField(
        label=gettext_lazy("Participant"),
        max_length=120,
        help_text=gettext_lazy("The name on the board. It is yours from its first attempt on."),
        widget=forms.TextInput(attrs={"list": "participants", "autocomplete": "off"}),
    )


def add_phase(form: forms.Form, phases: Sequence[Phase]) -> None:
    """Ask for the phase of an attempt where several are open, or were when the page was made."""
    if len(phases) > 1 or form.data.get("phase"):
        choices = [("", "–"), *((phase.slug, str(phase)) for phase in phases)]
        form.fields["phase"] = forms.ChoiceField(label=gettext_lazy("Phase"), choices=choices)
        form.order_fields(["phase"])


class JsonObjectField(forms.CharField):
    """A JSON object, read strictly: without duplicate names and NaN."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "class": "json"})

    def clean(self, value: Any) -> ForeignObject:
        text = str(super().clean(value))
        try:
            read = parse_json(text.encode("utf-8", "surrogatepass")) if text else {}
        except InvalidJSON as error:
            where, problem = f"{error.place}: " if error.place else "", translated(error.message)
            raise forms.ValidationError(f"{where}{problem}") from None
        if not isinstance(read, dict):
            problem = _("Must be an object, such as {example}; got {sent}.")
            raise forms.ValidationError(problem.format(example='{"solved": 9}', sent=sent(value)))
        return read


class NumbersField(JsonObjectField):
    """Numbers by name, as JSON."""

    def clean(self, value: Any) -> dict[str, float]:
        read = super().clean(value)
        for name, number in read.items():
            if type(number) not in (int, float):
                text = _("{name}: must be a number; got {sent}")
                raise forms.ValidationError(text.format(name=name, sent=sent(number)))
        return {name: float(number) for name, number in read.items()}


def _own_numbers() -> SafeString:
    example = format_html("<code>{}</code>", '{"solved": 9}')
    return format_html(_("Numbers of your own as JSON, such as {example}."), example=example)


class FactsForm(DeclaringForm):
    """The facts of an attempt. Those that the challenge ranks by are required."""

    participant = participant_field()
    vars().update({fact.key: fact_field(fact) for fact in FACTS})
    values = NumbersField(
        label=gettext_lazy("Reported values"),
        required=False,
        help_text=lazy(_own_numbers, str)(),
    )
    note = forms.CharField(
        label=gettext_lazy("Note"),
        required=False,
        max_length=2000,
        help_text=gettext_lazy("Anything that readers should know."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(
        self, needs: Needs, data: QueryDict | None = None, phases: Sequence[Phase] = ()
    ) -> None:
        super().__init__(data)
        self._needs = needs
        for name in needs.facts:
            if name in self.fields:
                self.fields[name].required = True
        if needs.values:
            example = json.dumps(dict.fromkeys(needs.values, 9), ensure_ascii=False)
            self.fields["values"].required = True
            self.fields["values"].help_text = format_html(
                _("As JSON: {example}."), example=format_html("<code>{}</code>", example)
            )
        needed = [name for name in (*needs.facts, "values") if self.fields[name].required]
        self.order_fields(["participant", *needed])
        add_phase(self, phases)

    def clean_succeeded(self) -> str:
        given: str = self.cleaned_data["succeeded"]
        if "succeeded" in self._needs.facts and given == "no":
            raise forms.ValidationError(
                _("must be Yes, because this board ranks successful attempts only; got No")
            )
        return given

    def clean_values(self) -> dict[str, float]:
        given: dict[str, float] = self.cleaned_data["values"]
        if absent := [name for name in self._needs.values if name not in given]:
            text = _("must have a number for {keys}, by which this board ranks; got none")
            raise forms.ValidationError(text.format(keys=", ".join(absent)))
        return given

    def clean(self) -> FormValues:
        given = {**self.cleaned_data}
        facts = [given.get(fact.key) for fact in FACTS]
        if self._needs.any_fact and not self.errors and all(fact in (None, "") for fact in facts):
            raise forms.ValidationError(
                _("Give at least one fact: an attempt without any says nothing about itself.")
            )
        return given

    def attempt(self) -> NewAttempt:
        """The attempt, once the form is valid."""
        meta = self.declared_meta()
        given = dict(self.cleaned_data)
        participant, note = given.pop("participant"), given.pop("note")
        values, phase = given.pop("values"), given.pop("phase", "")
        flags = {fact.key: ANSWERS[given[fact.key]] for fact in FACTS if fact.kind == "flag"}
        return NewAttempt(
            participant=participant,
            metrics={**given, **flags},
            values=values,
            meta=meta,
            note=note,
            phase=phase,
        )


class EvidenceForm(DeclaringForm):
    """An attempt with rewards or outputs as JSON: the body of the API without the participant."""

    participant = participant_field()
    evidence = JsonObjectField(
        label=gettext_lazy("The attempt as JSON"),
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false", "class": "json"}),
    )

    def __init__(
        self,
        example: str,
        data: QueryDict | None = None,
        file_url: str = "",
        phases: Sequence[Phase] = (),
    ) -> None:
        """file_url: the address of the complete example if it is too long for the page."""
        super().__init__(data)
        add_phase(self, phases)
        self.fields["evidence"].widget.attrs["placeholder"] = example
        help_text = format_html(
            "<details><summary>{}</summary><pre tabindex='0'>{}</pre></details>",
            _("An example"),
            example,
        )
        if file_url:
            link = format_html('<a href="{}">example.json</a>', file_url)
            whole = format_html(_("The whole of it, as a file to bring below: {link}"), link=link)
            help_text = format_html("{}<p>{}</p>", help_text, whole)
        self.fields["evidence"].help_text = help_text

    def clean_evidence(self) -> JsonObject:
        given: ForeignObject = self.cleaned_data["evidence"]
        if "participant" in given:
            text = _("participant: must be absent, because it has a field of its own; got {sent}")
            raise forms.ValidationError(text.format(sent=sent(given["participant"])))
        return given

    def line(self) -> bytes:
        """The attempt as a line of JSON, once the form is valid."""
        body = {"participant": self.cleaned_data["participant"], **self.cleaned_data["evidence"]}
        if phase := self.cleaned_data.get("phase"):
            body["phase"] = phase
        if (meta := self.declared_meta()) and isinstance(own := body.get("meta", {}), dict):
            body["meta"] = {**own, **meta}
        return json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")


def hand_form(
    challenge: Challenge, data: QueryDict | None = None, phases: Sequence[Phase] = ()
) -> FactsForm | EvidenceForm:
    """The form that asks for what the challenge needs to rank an attempt.

    phases: those that are open.
    """
    form = _hand_form(challenge, data, phases)
    form.ask_for_meta(challenge)
    return form


def _hand_form(
    challenge: Challenge, data: QueryDict | None, phases: Sequence[Phase]
) -> FactsForm | EvidenceForm:
    needs = needs_of(challenge.newest)
    if not needs.rewards and not needs.outputs:
        return FactsForm(needs, data, phases)
    own = ("participant", "phase")
    example = {name: value for name, value in example_of(challenge).items() if name not in own}
    if is_long(example):
        url = reverse("api:example", args=[challenge.slug])
        return EvidenceForm(shortened(example), data, url, phases)
    return EvidenceForm(written(example), data, phases=phases)
