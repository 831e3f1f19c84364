"""The form of all errors: `{"error": {"code", "message", "fields"}}`."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Any, Final, TypedDict

from django.core.exceptions import (
    ObjectDoesNotExist,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import exceptions, status
from rest_framework.response import Response

from leaderboard.database.deleted_rows import needs_deleted_row
from leaderboard.http.whole_bodies import CutOff
from leaderboard.operating import outages
from leaderboard.operating.outages import disk_is_full
from leaderboard.rules.texts.quoting import sent
from leaderboard.services.errors import ServiceError, first_and_more

logger = logging.getLogger(__name__)

CODES: Final[Mapping[int, str]] = {
    401: "not_authenticated",
    403: "permission_denied",
    404: "not_found",
    409: "conflict",
    412: "changed",
    413: "too_large",
    429: "throttled",
    500: "unavailable",
    503: "unavailable",
    507: "disk_full",
}
"""The code of an HTTP status; for the other ones (400, 405, 406, 411, 415) it is `invalid`."""

STATUSES: Final[Mapping[str, int]] = {
    "invalid": 400,
    "permission_denied": 403,
    "closed": 403,
    "not_open": 403,
    "not_registered": 403,
    "disqualified": 403,
    "not_found": 404,
    "conflict": 409,
    "changed": 412,
    "too_large": 413,
    "throttled": 429,
    "quota": 429,
    "unavailable": 503,
    "authorization_pending": 400,
    "access_denied": 400,
    "expired_token": 400,
}
"""The HTTP status of a ServiceError's code."""


class TooLarge(exceptions.APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"


class LengthRequired(exceptions.APIException):
    """A body of unknown length, which WSGI servers do not read."""

    status_code = status.HTTP_411_LENGTH_REQUIRED
    default_code = "invalid"
    default_detail = gettext_lazy("Content-Length: is required; got a body in chunks without it")


class EncodedBody(exceptions.APIException):
    """A body in an encoding that is not unpacked."""

    status_code = status.HTTP_415_UNSUPPORTED_MEDIA_TYPE
    default_code = "invalid"

    def __init__(self, encoding: str) -> None:
        text = _("Content-Encoding: must be gzip or identity; got {sent}")
        super().__init__(text.format(sent=sent(encoding)))


class Unavailable(exceptions.APIException):
    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_code = "unavailable"
    default_detail = gettext_lazy("Something this needs does not answer. Try again in a moment.")


class DiskFull(exceptions.APIException):
    status_code = status.HTTP_507_INSUFFICIENT_STORAGE
    default_code = "disk_full"
    default_detail = gettext_lazy("The disk of this server is full, so what you sent was not kept.")


class Deleted(exceptions.APIException):
    """Another request has deleted a row that this one needs."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "conflict"
    default_detail = gettext_lazy("Something that this request needs was deleted in the meantime.")


RETRY_AFTER = 10
"""Seconds after which a client may try an unavailable service again."""


def exception_handler(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """The answer to an exception of a view; None for a bug, which then becomes a 500."""
    if isinstance(error, ServiceError):
        return _refused(error)
    api_error = _as_api_exception(error)
    if api_error is None:
        return None
    if text := _header_error(api_error, context):
        api_error.detail = exceptions.ErrorDetail(text, api_error.default_code)
    return Response(refusal(api_error), status=api_error.status_code, headers=_headers(api_error))


def _header_error(error: exceptions.APIException, context: Mapping[str, Any]) -> str:
    """What is wrong with the method or a header of a request, "" for any other error."""
    view, request = context["view"], context.get("request")
    match error:
        case exceptions.MethodNotAllowed():
            return _("method: must be {accepted}; got {sent}").format(
                accepted=", ".join(view.allowed_methods), sent=sent(view.request.method)
            )
        case exceptions.UnsupportedMediaType():
            types = dict.fromkeys(get_parser.media_type for get_parser in view.get_parsers())
            return _("Content-Type: must be {accepted}, in UTF-8; got {sent}").format(
                accepted=", ".join(types), sent=sent(request.content_type if request else "")
            )
        case exceptions.NotAcceptable():
            types = dict.fromkeys(get_renderer.media_type for get_renderer in view.get_renderers())
            return _("Accept: must allow {accepted}; got {sent}").format(
                accepted=", ".join(types), sent=sent(view.request.headers.get("Accept", ""))
            )
    return ""


def _refused(error: ServiceError) -> Response:
    seconds = error.retry_after or (RETRY_AFTER if error.code == "unavailable" else None)
    headers = {"Retry-After": str(seconds)} if seconds else None
    return Response(refusal(error), status=STATUSES[error.code], headers=headers)


class ErrorJson(TypedDict):
    """An error. fields: messages by the path of the wrong field."""

    code: str
    message: str
    fields: dict[str, list[str]]


class ErrorBody(TypedDict):
    """The body of an answer that is an error."""

    error: ErrorJson


def refusal(error: ServiceError | exceptions.APIException) -> Mapping[str, object]:
    """The body of an error."""
    if isinstance(error, ServiceError):
        error_json = error_body(error.code, error.message, error.fields)["error"]
        return {"error": {**error_json, **error.facts}}
    code = CODES.get(error.status_code, "invalid")
    if isinstance(error, exceptions.NotFound):
        return error_body(code, _("There is nothing here."))
    if isinstance(error, exceptions.ValidationError):
        fields = {place: list(messages) for place, messages in _flat(error.detail)}
        return error_body(code, _as_text(fields), fields)
    return error_body(code, str(error.detail))


def error_body(code: str, message: str, fields: Mapping[str, list[str]] | None = None) -> ErrorBody:
    return {"error": {"code": code, "message": message, "fields": dict(fields or {})}}


def _as_api_exception(error: Exception) -> exceptions.APIException | None:
    if isinstance(error, exceptions.APIException):
        return error
    if isinstance(error, Http404):
        return exceptions.NotFound()
    if isinstance(error, PermissionDenied):
        return exceptions.PermissionDenied()
    if isinstance(error, CutOff):
        return exceptions.ParseError(_("body: must be complete; got a part of it"))
    if isinstance(error, RequestDataTooBig):
        return TooLarge(_("body: must be smaller; got more than this server takes"))
    if isinstance(error, SuspiciousOperation):
        return exceptions.ParseError(_("The request cannot be understood."))
    if disk_is_full(error):
        outages.disk.began(error)
        return DiskFull()
    if outages.database_may_answer_later(error):
        logger.error("the database refused a statement", exc_info=error)
        return Unavailable()
    if needs_deleted_row(error):
        logger.error("a request needs a row that was deleted", exc_info=error)
        return exceptions.NotFound() if isinstance(error, ObjectDoesNotExist) else Deleted()
    return None


def _headers(error: exceptions.APIException) -> dict[str, str]:
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if isinstance(error, exceptions.Throttled):
        headers["Retry-After"] = str(max(1, ceil(getattr(error, "wait", None) or 0)))
    if isinstance(error, Unavailable):
        headers["Retry-After"] = str(RETRY_AFTER)
    return headers


def _flat(detail: Any, place: str = "") -> Iterator[tuple[str, Sequence[str]]]:
    """Nested errors of serializers by their path: `metrics.tokens_total`."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            yield from _flat(inner, place if name == "non_field_errors" else _in(place, name))
    elif isinstance(detail, list) and all(isinstance(item, str) for item in detail):
        yield place, [str(item) for item in detail]
    else:
        for at, inner in enumerate(detail):
            yield from _flat(inner, _in(place, at))


def _in(place: str, name: Any) -> str:
    return f"{place}.{name}" if place else str(name)


def _as_text(fields: Mapping[str, Sequence[str]]) -> str:
    place, messages = next(iter(fields.items()))
    first = f"{place}: {messages[0]}" if place else messages[0]
    return first_and_more(first, len(fields) - 1)
