"""Reads queries and forms as UTF-8, and refuses forms in another encoding.

Django would read both in the encoding that the `Content-Type` of the request names. That may be a
codec of Python that does not decode text, such as `hex`. The server would then fail while it
creates the request, before it writes a line in the log, and fail again on the page about the error.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from typing import Final

from django.core.exceptions import BadRequest
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.utils.http import parse_header_parameters
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy

from leaderboard.rules.texts.quoting import sent

READ: Final = frozenset({"utf-8", "ascii"})
FORMS: Final = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})


def reading_utf_8(application: WSGIHandler) -> WSGIHandler:
    """Make the application read all queries as UTF-8."""
    application.request_class = Utf8Request
    return application


class Utf8Request(WSGIRequest):
    """A request that ignores the encoding in its `Content-Type`."""

    def _set_content_type_params(self, meta: Mapping[str, str]) -> None:
        header = meta.get("CONTENT_TYPE", "")
        self.content_type, self.content_params = parse_header_parameters(header)


class WrongEncoding(BadRequest):
    """A form in another encoding. reason: the error message."""

    def __init__(self, encoding: str) -> None:
        super().__init__(encoding)
        text = gettext_lazy("Content-Type: the encoding of a form must be UTF-8; got {sent}.")
        self.reason = format_lazy(text, sent=sent(encoding))


class EncodingMiddleware:
    """Answers 400 to a form in another encoding."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        named = (request.content_params or {}).get("charset")
        if named and request.content_type in FORMS and not _is_read(named):
            raise WrongEncoding(named)
        return self.get_response(request)


def _is_read(encoding: str) -> bool:
    """Whether text in the encoding can be read as UTF-8. True if Python does not know it."""
    try:
        return codecs.lookup(encoding).name in READ
    except LookupError:
        return True
