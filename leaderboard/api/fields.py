"""Strict fields: what is a text stays a text, and nothing is taken for something it is not.

Django REST framework's own fields accept `"5"` as a number, `true` as 1.0 and 5 as a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar, Final

from django.utils.dateparse import parse_datetime
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.fields import empty

from leaderboard.rules.metric_specs import MAX_NAME
from leaderboard.rules.moments import EPOCH_MS, LATEST_MS, MOMENT

MAX_SHOWN_NAME = 80


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses fields that it does not have, each by its name, together with the wrong ones.

    also_in_schema: what the schema says of the body as a whole, beside its fields.
    """

    also_in_schema: ClassVar[Mapping[str, Any]] = {}

    def to_internal_value(self, data: Any) -> Any:
        value, errors = None, {}
        try:
            value = super().to_internal_value(data)
        except ValidationError as error:
            if not isinstance(data, Mapping):
                raise
            errors = dict(error.detail) if isinstance(error.detail, dict) else {}
        known = [name for name, field in self.fields.items() if not field.read_only]
        for name in data:
            if name not in known:
                text = f"unknown field; known: {', '.join(known)}"
                errors[str(name)[:MAX_SHOWN_NAME]] = [ErrorDetail(text, "unknown")]
        if errors:
            raise ValidationError(errors)
        return value


class Text(serializers.CharField):
    """A JSON string, kept as it is."""

    default_error_messages = {
        "invalid": "must be a text",
        "blank": "must not be empty",
        "max_length": "must have at most {max_length} characters; got %(show_value)s",
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"trim_whitespace": False, **options})

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class TextLine(Text):
    """One line without control characters; white space around it is cut off."""

    default_error_messages = {"line": "must be one line of printable characters"}

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"trim_whitespace": True, **options})

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not text.isprintable():
            self.fail("line")
        return text


class Flag(serializers.BooleanField):
    default_error_messages = {"invalid": "must be true or false"}

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


def _range(kind: str, options: Mapping[str, Any]) -> dict[str, str]:
    """The messages of a number outside its range: what is accepted, and what was sent."""
    low, high = options.get("min_value"), options.get("max_value")
    if low is not None and high is not None:
        accepted = f"must be {kind} from {low} to {high}"
    else:
        accepted = (
            f"must be {kind}, {high} or less" if low is None else f"must be {kind}, {low} or more"
        )
    return dict.fromkeys(("min_value", "max_value"), f"{accepted}; got %(show_value)s")


class WholeNumber(serializers.IntegerField):
    default_error_messages = {"invalid": "must be a whole number"}

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"error_messages": _range("a whole number", options), **options})

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int:
            self.fail("invalid")
        return data


class EpochMilliseconds(WholeNumber):
    """Milliseconds since 1970, up to the end of the year 9999."""

    default_error_messages = {"moment": f"{EPOCH_MS}; got {{sent}}"}

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"min_value": 0, "max_value": LATEST_MS, **options})

    def run_validation(self, data: Any = empty) -> Any:
        if type(data) is int and not 0 <= data <= LATEST_MS:
            self.fail("moment", sent=data)
        return super().run_validation(data)


class Number(serializers.FloatField):
    default_error_messages = {"invalid": "must be a number"}

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"error_messages": _range("a number", options), **options})

    def to_internal_value(self, data: Any) -> float:
        if type(data) not in (int, float):
            self.fail("invalid")
        return float(data)


SHARE: Final = {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 1}


@extend_schema_field(SHARE)
class Share(Number):
    """A part of a whole, above 0 and at most 1."""

    default_error_messages = {"share": "must be a number above 0, at most 1; got {sent}"}

    def to_internal_value(self, data: Any) -> float:
        share = super().to_internal_value(data)
        if not 0 < share <= 1:
            self.fail("share", sent=data)
        return share


class Choice(serializers.ChoiceField):
    """One of a few texts."""

    default_error_messages = {"choice": "must be {choices}; got {sent}"}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or data not in self.choices:
            self.fail("choice", choices=_listed(self.choices), sent=repr(data)[:MAX_SHOWN_NAME])
        return data


def _listed(choices: Iterable[str]) -> str:
    """`warn, hold or rescore`."""
    *others, last = choices
    return f"{', '.join(others)} or {last}" if others else last


class Moment(serializers.DateTimeField):
    """An ISO 8601 date and time of day with its offset from UTC."""

    default_error_messages = {"moment": f"{MOMENT}; got {{sent}}"}

    def to_internal_value(self, value: Any) -> datetime:
        moment = _moment(value) if isinstance(value, str) else None
        if moment is None:
            self.fail("moment", sent=repr(value)[:MAX_SHOWN_NAME])
        return moment


def _moment(text: str) -> datetime | None:
    """The moment in UTC; None for a text that is none, or has no offset."""
    try:
        moment = parse_datetime(text)
        return moment.astimezone(UTC) if moment is not None and moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


@extend_schema_field({"type": "object", "additionalProperties": True})
class PlainObject(serializers.Field[Any, Any, Any, Any]):
    """Any JSON object."""

    default_error_messages = {"invalid": "must be an object"}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            self.fail("invalid")
        return data

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field({"type": "array", "items": {"type": "object", "additionalProperties": True}})
class PlainList(serializers.Field[Any, Any, Any, Any]):
    """A JSON list; what stands in it is checked by the verb it goes to."""

    default_error_messages = {"invalid": "must be a list"}

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            self.fail("invalid")
        return data

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field(
    {"type": "object", "additionalProperties": {"type": "number", "nullable": True}}
)
class Numbers(serializers.Field[Any, Any, Any, Any]):
    """An object of numbers, without those that are null."""

    default_error_messages = {"invalid": "must be an object"}

    def to_internal_value(self, data: Any) -> dict[str, float]:
        if not isinstance(data, dict):
            self.fail("invalid")
        wrong = [name for name in data if type(data[name]) not in (int, float, type(None))]
        if wrong:
            raise ValidationError({name[:MAX_NAME]: ["must be a number"] for name in wrong})
        return {name: float(value) for name, value in data.items() if value is not None}

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": {"type": "string", "maxLength": 1000},
        "maxProperties": 50,
    }
)
class FlatTexts(serializers.Field[Any, Any, Any, Any]):
    """An object of texts: at most 50, names up to 80 and texts up to 1000 characters long."""

    MOST, LONGEST_NAME, LONGEST = 50, 80, 1000
    default_error_messages = {"invalid": "must be an object", "many": "has more than 50 entries"}

    def to_internal_value(self, data: Any) -> dict[str, str]:
        if not isinstance(data, dict):
            self.fail("invalid")
        if len(data) > self.MOST:
            self.fail("many")
        wrong = {name[: self.LONGEST_NAME]: [self._wrong(name, data[name])] for name in data}
        if errors := {name: messages for name, messages in wrong.items() if messages != [""]}:
            raise ValidationError(errors)
        return data

    def to_representation(self, value: Any) -> Any:
        return value

    def _wrong(self, name: str, text: Any) -> str:
        if not 1 <= len(name) <= self.LONGEST_NAME:
            return f"a name has 1 to {self.LONGEST_NAME} characters"
        if not isinstance(text, str):
            return "must be a text"
        return "" if len(text) <= self.LONGEST else f"has more than {self.LONGEST} characters"
