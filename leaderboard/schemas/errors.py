"""Errors of pydantic in our sentences: `metrics.1.failed: must be zero or exclude; got "one"`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from leaderboard.rules.plugins.setting_errors import NO_FIELDS, UNKNOWN, with_values
from leaderboard.rules.texts.messages import Message, message
from leaderboard.rules.texts.nearest import nearest
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.accepted import accepted
from leaderboard.schemas.base import HIDDEN
from leaderboard.schemas.places import Core, fields_of, layers_at

MAX_ERRORS: Final = 20
MAX_NAME: Final = 120
"""Characters of a field's name in a path."""

T = TypeVar("T")


class WrongPlace(NamedTuple):
    """An error: its path (`metrics.1.failed`, "" for the whole value) and its message."""

    path: str
    message: str


class SchemaError(ValueError):
    """The errors of a value by path, at most 20. more: the number of further errors."""

    def __init__(self, errors: Sequence[WrongPlace], more: int = 0) -> None:
        self.errors, self.more = errors, more
        self.field, self.message = errors[0]
        super().__init__(f"{self.field}: {self.message}" if self.field else self.message)

    @property
    def fields(self) -> dict[str, list[str]]:
        """The messages by path, as a ServiceError takes them."""
        by_path: dict[str, list[str]] = {}
        for path, text in self.errors:
            by_path.setdefault(path, []).append(text)
        return by_path


class WrongPart(ValueError):
    """An error in one part of an object, raised by a validator of the whole object."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__(text)
        self.path = path


def wrong(path: str, text: str) -> SchemaError:
    """A SchemaError with one error."""
    return SchemaError([WrongPlace(path, text)])


def checked(schema: TypeAdapter[T], value: object, at: str = "") -> T:
    """The value as the schema's type. Raises SchemaError; its paths begin with `at`."""
    try:
        result: T = schema.validator.validate_python(value)
    except ValidationError as error:
        raise as_schema_error(error, schema.core_schema, at) from None
    return result


def as_schema_error(error: ValidationError, schema: Core, at: str = "") -> SchemaError:
    """The first 20 errors of pydantic in our sentences. schema: the one that refused the value."""
    details = error.errors(include_url=False)
    kept = [detail for detail in details if not _follows_from_another(detail)]
    places = [_wrong_place(detail, schema, at) for detail in islice(kept, MAX_ERRORS)]
    return SchemaError(places, len(kept) - len(places))


def joined(*parts: object) -> str:
    """The path made of parts, without empty ones: `metrics.1.failed`."""
    return ".".join(part for part in map(str, parts) if part)


def _follows_from_another(error: ErrorDetails) -> bool:
    """Whether another error in the same object caused this one."""
    if error["type"] == "default_factory_not_called":
        return True
    return error["type"] == "too_short" and len(error["input"]) >= error["ctx"]["min_length"]


def _wrong_place(error: ErrorDetails, schema: Core, at: str) -> WrongPlace:
    place = [part for part in error["loc"] if part != "[key]"]
    parts = [_name(str(part)) for part in place if not str(part).startswith(HIDDEN)]
    raised = error.get("ctx", {}).get("error")
    if isinstance(raised, WrongPart) and raised.path:
        parts.append(raised.path)
    return WrongPlace(joined(at, ".".join(parts)), _sentence(error, schema, place))


def _name(text: str) -> str:
    """The name of a field in a path: shortened, and without control characters."""
    cut = text[:MAX_NAME]
    if cut.isprintable():
        return cut
    return "".join(character if character.isprintable() else "?" for character in cut)


def _sentence(error: ErrorDetails, schema: Core, place: Sequence[int | str]) -> str:
    match error["type"]:
        case "missing":
            return message("is required; got nothing")
        case "extra_forbidden":
            return unknown_field(str(place[-1]), fields_of(layers_at(schema, place[:-1])))
        case "value_error" | "assertion_error":
            return _raised(error)
    is_name = error["loc"][-1:] == ("[key]",)
    sentence = _accepted_name(schema, place) if is_name else _accepted(schema, place)
    if sentence is None:
        sentence = message("must be another value ({reason})", reason=error["msg"])
    return message("{accepted}; got {sent}", accepted=sentence, sent=_length_or_value(error))


def _accepted(schema: Core, place: Sequence[int | str]) -> Message | None:
    """What the field accepts; a union's own sentence comes before that of its chosen member."""
    if place and str(place[-1]).startswith(HIDDEN):
        return accepted([*layers_at(schema, place[:-1]), *layers_at(schema, place)])
    return accepted(layers_at(schema, place))


def _accepted_name(schema: Core, place: Sequence[int | str]) -> Message | None:
    """What an object accepts as the name of a field."""
    layers = layers_at(schema, place[:-1])
    names = layers[-1].get("keys_schema") if layers else None
    sentence = accepted([names]) if names else None
    return sentence and message("the name {accepted}", accepted=sentence)


def unknown_field(name: str, field_names: Iterable[str]) -> Message:
    """The error for a field that an object does not have, with the fields that it has."""
    names, got = list(field_names), sent(name)
    if not names:
        return with_values(NO_FIELDS, name=got)
    listed = ", ".join(names)
    if meant := nearest(name, names):
        return message(
            "must be a known field; got {name}: did you mean {meant}? Known fields: {known}",
            name=got,
            meant=meant,
            known=listed,
        )
    return with_values(UNKNOWN, known=listed, name=got)


def _raised(error: ErrorDetails) -> str:
    """The message object of a ValueError, which can still be translated."""
    raised = error["ctx"]["error"]
    first = raised.args[0] if raised.args else ""
    return first if isinstance(first, str) else str(raised)


def _length_or_value(error: ErrorDetails) -> str:
    """The sent value; its length for a text or a list that is too long or too short."""
    value = error["input"]
    if error["type"] in ("too_long", "too_short"):
        return str(len(value))
    if error["type"] == "string_too_long":
        return message("{count} characters", count=len(value))
    return sent(value)
