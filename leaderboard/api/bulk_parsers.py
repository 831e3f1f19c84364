"""Parsers of several attempts at once: one per line, or a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException
from rest_framework.parsers import BaseParser

from leaderboard.api.bodies import (
    MAX_LARGE_BYTES,
    MAX_PARTS_OF_LARGE,
    attempt_value,
    check_charset,
    check_declared_length,
    check_size,
    not_json,
    read_body,
    read_line,
    too_large,
)
from leaderboard.api.errors import TooLarge
from leaderboard.rules.json.items import Item, items_of
from leaderboard.rules.json.strict import InvalidJSON
from leaderboard.services.errors import ServiceError

MAX_LINES = 10_000
MAX_BULK_BYTES = 64 * 1024 * 1024
MAX_BULK_PARTS = 5_000_000


@dataclass(frozen=True, slots=True)
class JsonLine:
    """A line of NDJSON: its number from 1, and its value or its error."""

    number: int
    value: Any = None
    error: ServiceError | APIException | None = None


class LinesParser(BaseParser):
    """`application/x-ndjson`: a list of `JsonLine`. A wrong line does not make the body wrong.

    Empty lines are ignored. Raises TooLarge for more than 10 000 lines or 64 MiB. When all lines
    together exceed 5 000 000 values, the remaining ones are wrong.
    """

    media_type = "application/x-ndjson"

    def parse(  # type: ignore[override]
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> list[JsonLine]:
        check_charset(media_type)
        check_declared_length(parser_context, MAX_BULK_BYTES)
        lines: list[JsonLine] = []
        parts = MAX_BULK_PARTS
        for number, text in enumerate(_lines(stream), start=1):
            is_empty = text is not None and not text.strip()
            if number > 2 * MAX_LINES or (len(lines) == MAX_LINES and not is_empty):
                raise _too_many()
            if is_empty:
                continue
            line, used = _line(number, text, min(parts, MAX_PARTS_OF_LARGE))
            parts -= used
            lines.append(line)
        return lines


class ListParser(BaseParser):
    """`application/json`: `{"attempts": [...]}` as the same list of `JsonLine`, numbered from 1."""

    media_type = "application/json"

    def parse(  # type: ignore[override]
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> list[JsonLine]:
        body = read_body(stream, media_type, parser_context, MAX_BULK_BYTES)
        lines: list[JsonLine] = []
        parts = MAX_BULK_PARTS
        try:
            for number, item in enumerate(items_of(body, "attempts"), start=1):
                if number > MAX_LINES:
                    raise _too_many()
                line, used = _line_of(number, item, min(parts, MAX_PARTS_OF_LARGE))
                parts -= used
                lines.append(line)
        except InvalidJSON as error:
            raise not_json(error) from None
        return lines


def _line(number: int, text: bytes | None, max_parts: int) -> tuple[JsonLine, int]:
    """A line, and the number of its JSON values."""
    try:
        if text is None:
            raise too_large(MAX_LARGE_BYTES)
        value, parts = attempt_value(text, max_parts)
    except (ServiceError, TooLarge) as error:
        return JsonLine(number, error=error), 0
    return JsonLine(number, value), parts


def _line_of(number: int, item: Item, max_parts: int) -> tuple[JsonLine, int]:
    """The line for an item of a list, and the number of its JSON values."""
    try:
        parts = item.counted(max_parts)
        check_size(item.value, len(item.text.encode()))
    except InvalidJSON as error:
        return JsonLine(number, error=not_json(error)), 0
    except TooLarge as error:
        return JsonLine(number, error=error), 0
    return JsonLine(number, item.value), parts


def _lines(stream: IO[Any]) -> Iterator[bytes | None]:
    """The lines one by one; None for a line that is too long, which is not kept in memory."""
    total = 0
    while line := read_line(stream):
        total += len(line)
        too_long = len(line) > MAX_LARGE_BYTES
        while too_long and not line.endswith(b"\n") and (line := read_line(stream)):
            total += len(line)
            if total > MAX_BULK_BYTES:
                break
        if total > MAX_BULK_BYTES:
            raise too_large(MAX_BULK_BYTES)
        yield None if too_long else line


def _too_many() -> TooLarge:
    text = _("body: must have at most {most} attempts; got more").format(most=MAX_LINES)
    return TooLarge(text)
