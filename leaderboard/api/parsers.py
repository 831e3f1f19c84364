"""Request bodies: strict JSON, one value or one a line, and never more of it than is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from django.http import UnreadablePostError
from django.utils.http import parse_header_parameters
from rest_framework.exceptions import APIException, ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser

from leaderboard.api.errors import TooLarge
from leaderboard.rules.strict_json import MAX_PARTS, InvalidJSON, parse_json
from leaderboard.services.refused import Refused

MAX_BYTES = 256 * 1024
"""Of one attempt, and of every other JSON body."""
MAX_LINES = 10_000
MAX_PARTS_OF_LINE = 500
MAX_BULK_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Line:
    """A line of NDJSON: its number from 1, and its value or what is wrong with it."""

    number: int
    value: Any = None
    error: Refused | APIException | None = None


class StrictJSONParser(BaseParser):
    """`application/json`: a value as `parse_json` accepts it, of at most 256 KiB."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        _check_charset(media_type)
        _check_declared_length(parser_context, MAX_BYTES)
        body = _read(stream, MAX_BYTES + 1)
        if len(body) > MAX_BYTES:
            raise _too_large(MAX_BYTES)
        return _value(body)


class LinesParser(BaseParser):
    """`application/x-ndjson`: a list of `Line`. A wrong line does not make the body wrong.

    Empty lines are passed over. More than 10 000 lines or 64 MiB are TooLarge.
    """

    media_type = "application/x-ndjson"

    def parse(  # type: ignore[override]
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> list[Line]:
        _check_charset(media_type)
        _check_declared_length(parser_context, MAX_BULK_BYTES)
        lines: list[Line] = []
        for number, text in enumerate(_lines(stream), start=1):
            is_empty = text is not None and not text.strip()
            if number > 2 * MAX_LINES or (len(lines) == MAX_LINES and not is_empty):
                raise TooLarge(f"At most {MAX_LINES} attempts go into one request.")
            if is_empty:
                continue
            lines.append(_line(number, text))
        return lines


def _line(number: int, text: bytes | None) -> Line:
    if text is None:
        return Line(number, error=_too_large(MAX_BYTES))
    try:
        return Line(number, _value(text, MAX_PARTS_OF_LINE))
    except Refused as refused:
        return Line(number, error=refused)


def _lines(stream: IO[Any]) -> Iterator[bytes | None]:
    """The lines one by one; None for one that is too long, of which nothing is kept."""
    total = 0
    while line := _read_line(stream):
        total += len(line)
        too_long = len(line) > MAX_BYTES
        while too_long and not line.endswith(b"\n") and (line := _read_line(stream)):
            total += len(line)
            if total > MAX_BULK_BYTES:
                break
        if total > MAX_BULK_BYTES:
            raise _too_large(MAX_BULK_BYTES)
        yield None if too_long else line


def _value(body: bytes, max_parts: int = MAX_PARTS) -> Any:
    try:
        return parse_json(body, max_parts)
    except InvalidJSON as error:
        fields = {error.place: [error.message]} if error.place else {}
        raise Refused("invalid", f"{error.place or 'The body'} {error.message}", fields) from None


def _read(stream: IO[Any], size: int) -> bytes:
    try:
        return bytes(stream.read(size))
    except UnreadablePostError:
        raise ParseError("The body ended early.") from None


def _read_line(stream: IO[Any]) -> bytes:
    try:
        return bytes(stream.readline(MAX_BYTES + 2))
    except UnreadablePostError:
        raise ParseError("The body ended early.") from None


def _check_charset(media_type: str | None) -> None:
    _, parameters = parse_header_parameters(media_type or "")
    if parameters.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
        raise UnsupportedMediaType(media_type or "", "JSON is read as UTF-8 only.")


def _check_declared_length(context: Mapping[str, Any] | None, most: int) -> None:
    """Refuse by the header alone, before anything is read."""
    request = (context or {}).get("request")
    declared = request.META.get("CONTENT_LENGTH", "") if request is not None else ""
    if str(declared).isdecimal() and int(declared) > most:
        raise _too_large(most)


def _too_large(most: int) -> TooLarge:
    return TooLarge(f"At most {most // 1024} KiB.")
