"""One line in the log for each request, a request id for all its lines, and counters."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import SimpleLazyObject, empty
from structlog.contextvars import bound_contextvars

from leaderboard.http.links import SECRET, WATCHED
from leaderboard.operating import outages
from leaderboard.operating.request_ids import request_id_of
from leaderboard.services.operations import tallies

logger = logging.getLogger(__name__)

HEADER = "X-Request-ID"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class RequestLogMiddleware:
    """Logs method, path, status, milliseconds, user and request id, and answers with the id.

    A trusted reverse proxy may send an id of its own. The query is left out, because it may contain
    what people search for. A streamed answer is logged when it has been sent.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started = time.perf_counter()
        request_id = _request_id(request)
        with bound_contextvars(request_id=request_id):
            response = self.get_response(request)
        response[HEADER] = request_id
        if request.method == "POST" and response.status_code < 400:
            outages.disk.ended()
        if not _is_watching(request):
            _count(request, response, time.perf_counter() - started)

        def tell() -> None:
            fields = {
                "method": request.method,
                "path": _path(request),
                "status": response.status_code,
                "ms": round((time.perf_counter() - started) * 1000, 1),
                "user": _user_id(request),
                "request_id": request_id,
            }
            logger.log(_level(request), "request", extra=fields)

        if response.streaming:
            response._resource_closers.append(tell)  # type: ignore[attr-defined]
        else:
            tell()
        return response


def _count(request: HttpRequest, response: HttpResponseBase, seconds: float) -> None:
    method = request.method if request.method in METHODS else "other"
    tallies.count(tallies.REQUESTS, method=str(method), status=str(response.status_code))
    tallies.observe(tallies.REQUEST_SECONDS, seconds)


def _request_id(request: HttpRequest) -> str:
    given = request.headers.get(HEADER, "") if settings.TRUSTED_PROXIES else ""
    return request_id_of(given)


def _path(request: HttpRequest) -> str:
    match = request.resolver_match
    if match is not None and match.view_name in SECRET:
        return f"/{match.route}"
    return request.path


def _user_id(request: HttpRequest) -> Any:
    """The id of the user if it is loaded already; None instead of a query only for the log."""
    user = getattr(request, "user", None)
    if isinstance(user, SimpleLazyObject) and user._wrapped is empty:
        return None
    return getattr(user, "pk", None)


def _is_watching(request: HttpRequest) -> bool:
    match = request.resolver_match
    return match is not None and match.view_name in WATCHED


def _level(request: HttpRequest) -> int:
    """The log level: debug for static files and for paths that programs poll, else info."""
    quiet = _is_watching(request) or request.path.startswith(settings.STATIC_URL)
    return logging.DEBUG if quiet else logging.INFO
