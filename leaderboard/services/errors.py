"""The error that services raise when they refuse a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeVar

from django.utils.translation import gettext as _
from pydantic import TypeAdapter

from leaderboard.languages.translation import translated
from leaderboard.rules.texts.quoting import with_sent
from leaderboard.schemas.errors import SchemaError, checked

T = TypeVar("T")
Code = Literal[
    "invalid",
    "permission_denied",
    "not_found",
    "conflict",
    "changed",
    "closed",
    "not_open",
    "not_registered",
    "disqualified",
    "quota",
    "too_large",
    "throttled",
    "unavailable",
    "authorization_pending",
    "access_denied",
    "expired_token",
]


NOT_SHOWN: Final = object()
"""Stands for a value that an error does not repeat."""


class ServiceError(Exception):
    """A service refuses a request; the message tells the user why.

    fields: messages by the path of a wrong field in the request (`metrics.tokens_total`). more: how
    many wrong fields are not in `fields`. map: how the columns of a table that was not imported
    would be used. retry_after: the seconds after which the same request may be accepted. facts:
    JSON with details for programs, such as `closed_at`.
    """

    map: Sequence[Any] = ()
    retry_after: int | None = None

    def __init__(
        self,
        code: Code,
        message: str,
        fields: Mapping[str, list[str]] | None = None,
        more: int = 0,
        facts: Mapping[str, str | int | None] | None = None,
    ) -> None:
        # Translated here and not where it is shown, because errors are shown in many places.
        self.message = translated(message)
        super().__init__(self.message)
        self.code: Code = code
        self.fields = {
            place: [translated(text) for text in texts] for place, texts in (fields or {}).items()
        }
        self.more = more
        self.facts = facts or {}


def validated(schema: TypeAdapter[T], value: object, at: str = "") -> T:
    """The value as the schema's type. Raises ServiceError with every wrong field.

    at: what the paths of its errors begin with.
    """
    try:
        return checked(schema, value, at)
    except SchemaError as error:
        raise refused(error) from None


def refused(error: SchemaError) -> ServiceError:
    """Convert the error of a schema to a ServiceError."""
    text = translated(error.message)
    first = f"{error.field}: {text}" if error.field else text
    further = len(error.errors) - 1 + error.more
    return ServiceError("invalid", first_and_more(first, further), error.fields, error.more)


def first_and_more(first: str, further: int) -> str:
    """The first message, and how many others there are: `slug: is required (and 2 more)`."""
    text = translated(first)
    return _("{first} (and {more} more)").format(first=text, more=further) if further else text


def invalid(field: str, message: str, got: object = NOT_SHOWN) -> ServiceError:
    """The error for one wrong field. got: the value that was sent, which the text then repeats."""
    text = translated(message if got is NOT_SHOWN else with_sent(message, got))
    return ServiceError("invalid", f"{field}: {text}", {field: [text]})
