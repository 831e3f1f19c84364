"""Form fields made from the schema of a field: type, choices, title, description.

A field only reads the input; services check it by the schema.
"""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib.admin.widgets import AdminTextInputWidget

from leaderboard.admin.metric_fields import JsonListField
from leaderboard.forms.json_fields import ObjectField
from leaderboard.languages.translation import translated_lazy
from leaderboard.models.choices import label_of
from leaderboard.schemas.challenges import NEW_CHALLENGE, NewChallenge
from leaderboard.schemas.openapi import JsonShape, openapi_shape

SHAPES: Final[dict[str, JsonShape]] = openapi_shape(NEW_CHALLENGE)["properties"]


def schema_field(name: str) -> forms.Field:
    """The form field of a challenge's field that is not a column of the model."""
    field = _field_for(SHAPES[name])
    describe(name, field)
    return field


def describe(name: str, field: forms.Field) -> None:
    """Give a form field the title and the description of the schema."""
    described = NewChallenge.model_fields[name]
    field.label = translated_lazy(described.title or "")
    field.help_text = translated_lazy(described.description or "")
    field.required = described.is_required() or _has_no_empty_value(name)


def or_default(name: str, typed: Any) -> Any:
    """The input, or the schema's default if it is empty."""
    described = NewChallenge.model_fields[name]
    return described.default if typed in (None, "") and not described.is_required() else typed


def _has_no_empty_value(name: str) -> bool:
    """Whether a number accepts neither a default nor null, so that it must be entered."""
    is_number = SHAPES[name].get("type") in ("integer", "number")
    return (
        is_number
        and NewChallenge.model_fields[name].default is None
        and not SHAPES[name].get("nullable")
    )


def _field_for(shape: JsonShape) -> forms.Field:
    if "enum" in shape:
        return forms.ChoiceField(choices=[(choice, label_of(choice)) for choice in shape["enum"]])
    match shape["type"]:
        case "boolean":
            return forms.BooleanField()
        case "integer":
            return forms.IntegerField()
        case "number":
            return forms.FloatField(widget=forms.NumberInput(attrs={"step": "any"}))
        case "string":
            return forms.CharField(widget=AdminTextInputWidget)
        case "object":
            return ObjectField()
        case _:
            return JsonListField()
