"""Bodies of requests: read within a limit of bytes, parsed as strict JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django.utils.http import parse_header_parameters
from django.utils.translation import gettext as _
from rest_framework.exceptions import UnsupportedMediaType

from leaderboard.api.errors import TooLarge
from leaderboard.languages.translation import translated
from leaderboard.rules.json.strict import InvalidJSON, parse_counted
from leaderboard.services.errors import ServiceError

MAX_BYTES = 256 * 1024
"""The limit for an attempt without samples, and the default for every body."""
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


def attempt_value(body: bytes, max_parts: int) -> tuple[Any, int]:
    """An attempt, within the limit for its evidence, and the number of values in it."""
    value, parts = json_value(body, max_parts)
    check_size(value, len(body))
    return value, parts


def check_size(attempt: Any, size: int) -> None:
    """Raise TooLarge if an attempt exceeds the limit for its kind of evidence."""
    submitted = attempt if isinstance(attempt, dict) else {}
    most = next((BYTES_WITH[name] for name in BYTES_WITH if name in submitted), MAX_BYTES)
    if size > most:
        raise too_large(most)


def json_value(body: bytes, max_parts: int, *, field: str = "") -> tuple[Any, int]:
    """The value of a JSON text, and the number of values in it. field: which one has the text."""
    try:
        return parse_counted(body, max_parts)
    except InvalidJSON as error:
        raise not_json(error, field) from None


def not_json(error: InvalidJSON, field: str = "") -> ServiceError:
    place = ".".join(filter(None, (field, error.place)))
    fields = {place: [error.message]} if place else {}
    return ServiceError("invalid", f"{place or 'body'}: {translated(error.message)}", fields)


def read_body(
    stream: IO[Any], media_type: str | None, context: Mapping[str, Any] | None, most: int
) -> bytes:
    check_charset(media_type)
    check_declared_length(context, most)
    body = bytes(stream.read(most + 1))
    if len(body) > most:
        raise too_large(most)
    return body


def read_line(stream: IO[Any]) -> bytes:
    return bytes(stream.readline(MAX_LARGE_BYTES + 2))


def check_charset(media_type: str | None) -> None:
    _, parameters = parse_header_parameters(media_type or "")
    if parameters.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
        raise UnsupportedMediaType(media_type or "")


def check_declared_length(context: Mapping[str, Any] | None, most: int) -> None:
    """Refuse a body by its declared length, before it is read."""
    request = (context or {}).get("request")
    declared = request.META.get("CONTENT_LENGTH", "") if request is not None else ""
    if str(declared).isdecimal() and int(declared) > most:
        raise too_large(most)


def too_large(most: int) -> TooLarge:
    size = f"{most >> 20} MiB" if most >> 20 else f"{most >> 10} KiB"
    return TooLarge(_("body: must have at most {size}; got more").format(size=size))
