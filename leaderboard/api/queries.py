"""Common parts of queries: limits, and cursors that belong to one query."""

from __future__ import annotations

import hashlib
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from leaderboard.rules.texts.quoting import sent
from leaderboard.services.errors import ServiceError, invalid

MARK_LENGTH = 8
LONGEST_CURSOR = 400
MAX_SHOWN = 40


@extend_schema_field(
    {
        "type": "string",
        "default": "",
        "maxLength": LONGEST_CURSOR,
        "pattern": rf"^([^\u0000]+\.[0-9a-f]{{{MARK_LENGTH}}})?$",
    }
)
class Cursor(serializers.CharField):
    """The `next` of an earlier answer, made by `cursor_for`; "" for none."""

    def __init__(self) -> None:
        super().__init__(
            default="",
            allow_blank=True,
            max_length=LONGEST_CURSOR,
            help_text="The `next` of an earlier answer.",
        )


class Limit(serializers.IntegerField):
    """The number of rows of a page, in ASCII digits; other forms of numbers are refused."""

    def __init__(self, *, most: int, default: int) -> None:
        self.most = most
        super().__init__(min_value=1, max_value=most, default=default)

    def to_internal_value(self, data: Any) -> int:
        limit = limit_in(str(data), self.most)
        if limit is None:
            raise ValidationError(wrong_limit(str(data), self.most))
        return limit


def limit_in(text: str, most: int) -> int | None:
    """The value of a text that is a number from 1 to `most`; None for any other text."""
    digits = text.isascii() and text.isdecimal() and len(text) <= len(str(most))
    return int(text) if digits and 1 <= int(text) <= most else None


def wrong_limit(text: str, most: int) -> str:
    template = _("must be a whole number from 1 to {most}; got {sent}")
    return template.format(most=most, sent=sent(text[:MAX_SHOWN]))


def wrong_cursor(text: str) -> ServiceError:
    template = _("must be the `next` of an earlier answer to the same question; got {sent}")
    return invalid("cursor", template.format(sent=sent(text[:MAX_SHOWN])))


def cursor_for(place: str, *question: object) -> str:
    """A cursor: a place in the answer to a query, with a mark of the query."""
    return f"{place}.{_mark(question)}"


def place_in(cursor: str, *question: object) -> str:
    """The place of a cursor; "" for none. Raises ServiceError for a cursor of another query."""
    place, _dot, mark = cursor.rpartition(".")
    if cursor and (not place or mark != _mark(question)):
        raise wrong_cursor(cursor)
    return place


def _mark(question: tuple[object, ...]) -> str:
    return hashlib.sha256(repr(question).encode()).hexdigest()[:MARK_LENGTH]
