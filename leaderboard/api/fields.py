"""Serializers of small bodies and of queries: strict, and with errors in one form.

Schemas check everything larger: `leaderboard.schemas`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from leaderboard.languages.translation import translated
from leaderboard.rules.json.untyped_dicts import FrameworkDict
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.errors import unknown_field

MAX_SHOWN_NAME = 80
GOT = "; got "


class AskedSerializer(serializers.Serializer[Any]):
    """What is asked in a query. Each error says what is accepted and what was sent."""

    def to_internal_value(self, data: Any) -> Any:
        try:
            return super().to_internal_value(data)
        except ValidationError as error:
            if not isinstance(error.detail, dict) or not isinstance(data, Mapping):
                raise
            raise ValidationError(_with_sent(error.detail, data)) from None


class StrictSerializer(AskedSerializer):
    """Refuses fields that it does not have, each by its name, together with the wrong ones."""

    def to_internal_value(self, data: Any) -> Any:
        value, errors = None, {}
        try:
            value = super().to_internal_value(data)
        except ValidationError as error:
            if not isinstance(data, Mapping):
                raise
            errors = dict(error.detail) if isinstance(error.detail, dict) else {}
        writable = [name for name, field in self.fields.items() if not field.read_only]
        for name in data:
            if name not in writable:
                text = translated(unknown_field(str(name), writable))
                errors[str(name)[:MAX_SHOWN_NAME]] = [ErrorDetail(text, "unknown")]
        if errors:
            raise ValidationError(errors)
        return value


def _with_sent(errors: Mapping[str, Any], data: Mapping[str, Any]) -> FrameworkDict:
    """The errors of fields, each with the value that was sent."""
    return {
        name: [_with_value_sent(text, data[name]) for text in texts] if name in data else texts
        for name, texts in errors.items()
    }


def _with_value_sent(text: Any, value: Any) -> Any:
    if not isinstance(text, str) or GOT in text:
        return text
    error_text = message("{accepted}; got {sent}", accepted=text, sent=_value_text(value))
    return ErrorDetail(translated(error_text), getattr(text, "code", None))


def _value_text(value: Any) -> str:
    """A value as an error repeats it; of a file its name."""
    name = getattr(value, "name", None)
    return sent(name if isinstance(name, str) else value)


class JsonText(serializers.CharField):
    """A JSON string, kept unchanged."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"trim_whitespace": False, **options})

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class JsonChoice(serializers.ChoiceField):
    """One of a few texts."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or data not in self.choices:
            raise ValidationError(wrong_choice(self.choices, data), "invalid_choice")
        return data


def wrong_choice(choices: Iterable[str], data: Any) -> str:
    text = message("must be {choices}; got {sent}", choices=_listed(choices), sent=sent(data))
    return translated(text)


def _listed(choices: Iterable[str]) -> str:
    """`warn, hold or rescore`, without the empty text that stands for no choice."""
    *first_choices, last = filter(None, choices)
    return (
        message("{others} or {last}", others=", ".join(first_choices), last=last)
        if first_choices
        else last
    )
