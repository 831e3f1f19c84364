"""Form fields made from the fields of a schema: type, bounds, choices, label and help."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from django import forms
from django.forms.widgets import ChoiceWidget
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy
from pydantic.fields import FieldInfo

from leaderboard.forms.json_fields import JsonListField, ListField, ObjectField
from leaderboard.languages.translation import translated_lazy
from leaderboard.models.choices import label_of
from leaderboard.schemas.fields import FieldKind, kind_of

ChoiceLabels = Mapping[str, str | Promise]

DIGITS: Final = 18
LONGEST_LINE: Final = 500
_ONE_PER_LINE: Final = gettext_lazy("One item per line.")


class TypedNumber(forms.CharField):
    """A number as it is typed; `typed_value` reads it."""

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed("" if initial is None else str(initial), data)


class DefaultedChoice(forms.ChoiceField):
    """A choice that the form always sends; if it is absent, the first value applies."""

    has_default = True

    def __init__(self, **given: Any) -> None:
        super().__init__(required=False, **given)


def form_field(
    field: FieldInfo,
    labels: ChoiceLabels | None = None,
    *,
    choice: type[ChoiceWidget] = forms.Select,
) -> forms.Field:
    """A field that only reads the input: the service checks it, with the errors of the API.

    labels: of the choices, where the general ones do not say enough.
    """
    kind = kind_of(field)
    if kind.choices:
        choices = list((labels or _general_labels(kind)).items())
        made: forms.Field = DefaultedChoice(choices=choices, widget=choice)
    else:
        made = _plain_field(kind)
    made.label = translated_lazy(field.title or "")
    made.help_text = translated_lazy(field.description or "")
    if isinstance(made, ListField):
        made.help_text = format_lazy("{} {}", made.help_text, _ONE_PER_LINE)
    made.required = field.is_required()
    return made


def _plain_field(kind: FieldKind) -> forms.Field:
    if kind.type is bool:
        return forms.BooleanField(required=False)
    if kind.type in (int, float):
        bounds = {
            "min": kind.least,
            "max": kind.most,
            "step": "any" if kind.type is float else None,
        }
        given = {option: value for option, value in bounds.items() if value is not None}
        return TypedNumber(required=False, widget=forms.NumberInput(attrs=given))
    if kind.type is list:
        return ListField(forms.CharField(), required=False) if kind.has_texts else JsonListField()
    if kind.type is dict:
        return ObjectField()
    return forms.CharField(
        required=False, widget=forms.Textarea if kind.longest > LONGEST_LINE else forms.TextInput
    )


def _general_labels(kind: FieldKind) -> ChoiceLabels:
    none = {"": "–"} if kind.is_nullable else {}
    return {**none, **{choice: label_of(choice) for choice in kind.choices}}


def typed_value(field: FieldInfo, typed: Any) -> Any:
    """The input as JSON; None for an empty number or choice."""
    kind = kind_of(field)
    if kind.type is list:
        return typed or []
    if kind.type in (int, float):
        return whole_number(typed) if kind.type is int else share_of(typed)
    return (typed or None) if kind.choices else typed


def whole_number(text: str) -> int | str | None:
    """A limit; a text that is no number is refused by the service."""
    is_whole = text.isascii() and text.isdigit() and len(text) <= DIGITS
    return int(text) if is_whole else text or None


def share_of(text: str) -> float | str | None:
    """A share; a text that is no number is refused by the service."""
    try:
        number = float(text)
    except ValueError:
        return text or None
    return number if isfinite(number) else text
