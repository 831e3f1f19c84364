"""The forms for an attempt by hand: each asks for what its challenge needs to rank it."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.http import QueryDict
from django.urls import reverse
from django.utils.html import format_html

from leaderboard.facts import Fact, facts_on_pages
from leaderboard.models import Challenge
from leaderboard.pages.example import is_long, shortened
from leaderboard.rules.strict_json import InvalidJSON, parse_json
from leaderboard.services.attempts.submit import NewAttempt
from leaderboard.services.imports.examples import example_of, written
from leaderboard.services.imports.needs import Needs, needs_of

OUTCOMES = (("", "Not said"), ("yes", "Yes"), ("no", "No"))
ANSWERS = {"": None, "yes": True, "no": False}
FACTS = tuple(fact for fact in facts_on_pages() if fact.hint)


def fact_field(fact: Fact) -> forms.Field:
    """The field of a fact; a flag may be left open, unlike a box to tick."""
    options: dict[str, Any] = {"label": fact.label, "help_text": fact.hint, "required": False}
    if fact.kind == "flag":
        return forms.ChoiceField(choices=OUTCOMES, **options)
    kind = forms.IntegerField if fact.is_whole else forms.FloatField
    return kind(min_value=0, max_value=fact.most, **options)


def participant_field() -> forms.CharField:
    return forms.CharField(
        max_length=120,
        help_text="The name on the board. It is yours from its first attempt on.",
        widget=forms.TextInput(attrs={"list": "participants", "autocomplete": "off"}),
    )


class JsonObjectField(forms.CharField):
    """A JSON object, read strictly: no name twice, no NaN."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "class": "json"})

    def clean(self, value: Any) -> dict[str, Any]:
        text = str(super().clean(value))
        try:
            read = parse_json(text.encode("utf-8", "surrogatepass")) if text else {}
        except InvalidJSON as error:
            where = f"{error.place}: " if error.place else ""
            raise forms.ValidationError(f"{where}{error.message}.") from None
        if not isinstance(read, dict):
            raise forms.ValidationError('Must be an object, such as {"solved": 9}.')
        return read


class NumbersField(JsonObjectField):
    """Numbers by name, as JSON."""

    def clean(self, value: Any) -> dict[str, float]:
        read = super().clean(value)
        for name, each in read.items():
            if type(each) not in (int, float):
                raise forms.ValidationError(f"{name} must be a number.")
        return {name: float(each) for name, each in read.items()}


class FactsForm(forms.Form):
    """The facts of an attempt. What the challenge ranks by is required, the rest may be absent."""

    participant = participant_field()
    vars().update({fact.key: fact_field(fact) for fact in FACTS})
    values = NumbersField(
        label="Reported values",
        required=False,
        help_text="Numbers of your own as JSON, such as <code>{&quot;solved&quot;: 9}</code>.",
    )
    note = forms.CharField(
        required=False,
        max_length=2000,
        help_text="Anything that readers should know.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(self, needs: Needs, data: QueryDict | None = None) -> None:
        super().__init__(data)
        self._needs = needs
        for name in needs.facts:
            if name in self.fields:
                self.fields[name].required = True
        if needs.values:
            example = json.dumps(dict.fromkeys(needs.values, 9), ensure_ascii=False)
            self.fields["values"].required = True
            self.fields["values"].help_text = format_html("As JSON: <code>{}</code>.", example)
        needed = [name for name in (*needs.facts, "values") if self.fields[name].required]
        self.order_fields(["participant", *needed])

    def clean_succeeded(self) -> str:
        given: str = self.cleaned_data["succeeded"]
        if "succeeded" in self._needs.facts and given == "no":
            raise forms.ValidationError("This board ranks successful attempts only: say Yes.")
        return given

    def clean_values(self) -> dict[str, float]:
        given: dict[str, float] = self.cleaned_data["values"]
        if absent := [name for name in self._needs.values if name not in given]:
            raise forms.ValidationError(f"This board ranks by {', '.join(absent)}: give a number.")
        return given

    def clean(self) -> dict[str, Any]:
        given = {**self.cleaned_data}
        facts = [given.get(fact.key) for fact in FACTS]
        if self._needs.any_fact and not self.errors and all(fact in (None, "") for fact in facts):
            raise forms.ValidationError(
                "Give at least one fact: an attempt without any says nothing about itself."
            )
        return given

    def attempt(self) -> NewAttempt:
        """The attempt, once the form is valid."""
        given = dict(self.cleaned_data)
        participant, note = given.pop("participant"), given.pop("note")
        values = given.pop("values")
        flags = {fact.key: ANSWERS[given[fact.key]] for fact in FACTS if fact.kind == "flag"}
        return NewAttempt(
            participant=participant, metrics={**given, **flags}, values=values, note=note
        )


class EvidenceForm(forms.Form):
    """An attempt with rewards or outputs, as JSON: what the API takes but for the participant."""

    participant = participant_field()
    evidence = JsonObjectField(
        label="The attempt as JSON",
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false", "class": "json"}),
    )

    def __init__(self, example: str, data: QueryDict | None = None, file_url: str = "") -> None:
        """file_url: where the whole of an example is that is too long for the page."""
        super().__init__(data)
        self.fields["evidence"].widget.attrs["placeholder"] = example
        shown = "<details><summary>An example</summary><pre tabindex='0'>{}</pre></details>"
        whole = '<p>The whole of it, as a file to bring below: <a href="{}">example.json</a></p>'
        self.fields["evidence"].help_text = format_html(
            shown + (whole if file_url else ""), example, file_url
        )

    def clean_evidence(self) -> dict[str, Any]:
        given: dict[str, Any] = self.cleaned_data["evidence"]
        if "participant" in given:
            raise forms.ValidationError("participant: give the name in its own field.")
        return given

    def line(self) -> bytes:
        """The attempt as a line of JSON, once the form is valid."""
        body = {"participant": self.cleaned_data["participant"], **self.cleaned_data["evidence"]}
        return json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")


def hand_form(challenge: Challenge, data: QueryDict | None = None) -> FactsForm | EvidenceForm:
    """The form that asks for what the challenge needs to rank an attempt."""
    needs = needs_of(challenge.newest)
    if not needs.rewards and not needs.outputs:
        return FactsForm(needs, data)
    example = {name: each for name, each in example_of(challenge).items() if name != "participant"}
    if is_long(example):
        url = reverse("api:example", args=[challenge.slug])
        return EvidenceForm(shortened(example), data, url)
    return EvidenceForm(written(example), data)
