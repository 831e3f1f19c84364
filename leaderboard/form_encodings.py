"""Queries and forms are UTF-8, whatever encoding a request names in its `Content-Type`.

Django would use each codec of Python for both. Some, such as `hex`, decode no text: the server
would fail before the request has a line in the log, or again while it shows that it failed.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from typing import Final

from django.core.exceptions import BadRequest
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.utils.http import parse_header_parameters

READ: Final = frozenset({"utf-8", "ascii"})
FORMS: Final = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})


def reading_utf_8(application: WSGIHandler) -> WSGIHandler:
    """The application, which then reads no query in another encoding."""
    application.request_class = Utf8Request
    return application


class Utf8Request(WSGIRequest):
    """A request that keeps the default encoding."""

    def _set_content_type_params(self, meta: Mapping[str, str]) -> None:
        sent = meta.get("CONTENT_TYPE", "")
        self.content_type, self.content_params = parse_header_parameters(sent)


class EncodingMiddleware:
    """Answers 400 to a form in another encoding."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        named = (request.content_params or {}).get("charset")
        if named and request.content_type in FORMS and not _is_read(named):
            raise BadRequest("Forms are read as UTF-8.")
        return self.get_response(request)


def _is_read(encoding: str) -> bool:
    """Whether the encoding is UTF-8 or a part of it; an unknown one counts as UTF-8."""
    try:
        return codecs.lookup(encoding).name in READ
    except LookupError:
        return True
