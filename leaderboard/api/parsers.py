"""Parsers of request bodies: strict JSON, one value or one per line, within size limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from django.http import UnreadablePostError
from django.utils.http import parse_header_parameters
from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException, ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser, MultiPartParser

from leaderboard.api.errors import TooLarge
from leaderboard.rules.json_items import Item, items_of
from leaderboard.rules.strict_json import MAX_PARTS, InvalidJSON, parse_counted
from leaderboard.services.errors import ServiceError
from leaderboard.translation import translated

MAX_BYTES = 256 * 1024
"""The limit for an attempt without samples, and the default for every body."""
MAX_BYTES_OF_CHALLENGE = 2 * 1024 * 1024
MAX_LARGE_BYTES = 16 * 1024 * 1024
"""The limit for an attempt with samples, for a line, and for a registry."""
MAX_BYTES_OF_TEXTS = 64 * 1024 * 1024
"""The limit for an attempt with outputs of a model, and for references."""
MAX_PARTS_OF_LARGE = 2_500_000
"""The most values of a large attempt: 100 000 samples or instances with 25 values each."""
BYTES_WITH = {
    "evaluation": MAX_BYTES_OF_TEXTS,
    "outputs": MAX_BYTES_OF_TEXTS,
    "samples": MAX_LARGE_BYTES,
    "task_rewards": MAX_LARGE_BYTES,
}
"""The evidence that makes an attempt large, the largest first."""
MAX_LINES = 10_000
MAX_BULK_BYTES = 64 * 1024 * 1024
MAX_BULK_PARTS = 5_000_000
MAX_FILE_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class JsonLine:
    """A line of NDJSON: its number from 1, and its value or its error."""

    number: int
    value: Any = None
    error: ServiceError | APIException | None = None


class StrictJSONParser(BaseParser):
    """`application/json`: a value as `parse_json` accepts it, of at most 256 KiB."""

    media_type = "application/json"
    most = MAX_BYTES

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        return _value(_body(stream, media_type, parser_context, self.most), MAX_PARTS)[0]


class ChallengeParser(StrictJSONParser):
    """`application/json` of at most 2 MiB, because a challenge may have thousands of tasks."""

    most = MAX_BYTES_OF_CHALLENGE


class AttemptParser(BaseParser):
    """`application/json`: an attempt of at most 256 KiB, 16 MiB with samples, 64 with texts."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        body = _body(stream, media_type, parser_context, MAX_BYTES_OF_TEXTS)
        return _attempt(body, MAX_PARTS_OF_LARGE)[0]


class DocumentParser(BaseParser):
    """`application/json` of at most 16 MiB, unparsed, because an importer reads it."""

    media_type = "application/json"
    most = MAX_LARGE_BYTES

    def parse(  # type: ignore[override]
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return _body(stream, media_type, parser_context, self.most)


class InstancesParser(DocumentParser):
    """`application/json` of at most 64 MiB, unparsed."""

    most = MAX_BYTES_OF_TEXTS


class InstanceLinesParser(InstancesParser):
    """Instances, one per line, of at most 64 MiB, unparsed."""

    media_type = "application/x-ndjson"


class InstanceTableParser(InstancesParser):
    """Instances as a table of at most 64 MiB, unparsed."""

    media_type = "text/csv"


class FileParser(MultiPartParser):
    """`multipart/form-data` with files of at most 64 MiB together."""

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        _check_declared_length(parser_context, MAX_FILE_BYTES + MAX_BYTES)
        try:
            return super().parse(stream, media_type, parser_context)
        except UnreadablePostError:
            raise ParseError(_("body: must be complete; got a part of it")) from None


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
        _check_charset(media_type)
        _check_declared_length(parser_context, MAX_BULK_BYTES)
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
        body = _body(stream, media_type, parser_context, MAX_BULK_BYTES)
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
            raise _not_json(error) from None
        return lines


def _line(number: int, text: bytes | None, max_parts: int) -> tuple[JsonLine, int]:
    """A line, and the number of its JSON values."""
    try:
        if text is None:
            raise _too_large(MAX_LARGE_BYTES)
        value, parts = _attempt(text, max_parts)
    except (ServiceError, TooLarge) as error:
        return JsonLine(number, error=error), 0
    return JsonLine(number, value), parts


def _line_of(number: int, item: Item, max_parts: int) -> tuple[JsonLine, int]:
    """The line for an item of a list, and the number of its JSON values."""
    try:
        parts = item.counted(max_parts)
        _check_size(item.value, len(item.text.encode()))
    except InvalidJSON as error:
        return JsonLine(number, error=_not_json(error)), 0
    except TooLarge as error:
        return JsonLine(number, error=error), 0
    return JsonLine(number, item.value), parts


def _lines(stream: IO[Any]) -> Iterator[bytes | None]:
    """The lines one by one; None for a line that is too long, which is not kept in memory."""
    total = 0
    while line := _read_line(stream):
        total += len(line)
        too_long = len(line) > MAX_LARGE_BYTES
        while too_long and not line.endswith(b"\n") and (line := _read_line(stream)):
            total += len(line)
            if total > MAX_BULK_BYTES:
                break
        if total > MAX_BULK_BYTES:
            raise _too_large(MAX_BULK_BYTES)
        yield None if too_long else line


def _attempt(body: bytes, max_parts: int) -> tuple[Any, int]:
    value, parts = _value(body, max_parts)
    _check_size(value, len(body))
    return value, parts


def _check_size(attempt: Any, size: int) -> None:
    """Raise TooLarge if an attempt exceeds the limit for its kind of evidence."""
    submitted = attempt if isinstance(attempt, dict) else {}
    most = next((BYTES_WITH[name] for name in BYTES_WITH if name in submitted), MAX_BYTES)
    if size > most:
        raise _too_large(most)


def _value(body: bytes, max_parts: int) -> tuple[Any, int]:
    """The value of a JSON text, and the number of values in it."""
    try:
        return parse_counted(body, max_parts)
    except InvalidJSON as error:
        raise _not_json(error) from None


def _not_json(error: InvalidJSON) -> ServiceError:
    fields = {error.place: [error.message]} if error.place else {}
    said = translated(error.message)
    return ServiceError("invalid", f"{error.place or 'body'}: {said}", fields)


def _body(
    stream: IO[Any], media_type: str | None, context: Mapping[str, Any] | None, most: int
) -> bytes:
    _check_charset(media_type)
    _check_declared_length(context, most)
    body = _read(stream, most + 1)
    if len(body) > most:
        raise _too_large(most)
    return body


def _read(stream: IO[Any], size: int) -> bytes:
    try:
        return bytes(stream.read(size))
    except UnreadablePostError:
        raise ParseError(_("body: must be complete; got a part of it")) from None


def _read_line(stream: IO[Any]) -> bytes:
    try:
        return bytes(stream.readline(MAX_LARGE_BYTES + 2))
    except UnreadablePostError:
        raise ParseError(_("body: must be complete; got a part of it")) from None


def _check_charset(media_type: str | None) -> None:
    _, parameters = parse_header_parameters(media_type or "")
    if parameters.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
        raise UnsupportedMediaType(media_type or "")


def _check_declared_length(context: Mapping[str, Any] | None, most: int) -> None:
    """Refuse a body by its declared length, before it is read."""
    request = (context or {}).get("request")
    declared = request.META.get("CONTENT_LENGTH", "") if request is not None else ""
    if str(declared).isdecimal() and int(declared) > most:
        raise _too_large(most)


def _too_large(most: int) -> TooLarge:
    size = f"{most >> 20} MiB" if most >> 20 else f"{most >> 10} KiB"
    return TooLarge(_("body: must have at most {size}; got more").format(size=size))


def _too_many() -> TooLarge:
    said = _("body: must have at most {most} attempts; got more").format(most=MAX_LINES)
    return TooLarge(said)
