"""Answers for unknown paths of the API, and for errors outside of its views."""

from __future__ import annotations

import sys
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override
from django.views import defaults
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from leaderboard.api.errors import (
    CODES,
    RETRY_AFTER,
    Deleted,
    DiskFull,
    Unavailable,
    error_body,
)
from leaderboard.api.views.base import AnyAccept, ApiView
from leaderboard.database.deleted_rows import needs_deleted_row
from leaderboard.http.form_encodings import WrongEncoding
from leaderboard.languages.translation import ENGLISH
from leaderboard.operating.outages import database_may_answer_later, disk_is_full
from leaderboard.services.errors import ServiceError
from leaderboard.services.wrong_parameter import WrongParameter


@extend_schema(exclude=True)
class UnknownPathView(ApiView):
    """Answers any method at an unknown path."""

    permission_classes = []
    content_negotiation_class = AnyAccept

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if request.path.endswith("/"):
            raise NotFound
        text = _("There is nothing here. Paths of the API end with a slash.")
        raise ServiceError("not_found", text)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    wrong = exception if isinstance(exception, WrongEncoding) else None
    if _is_api(request):
        generic = gettext_lazy("The request cannot be understood.")
        return _answer(400, wrong.reason if wrong else generic)
    if wrong:
        return render(request, "400.html", {"wrong": wrong}, status=400)
    return defaults.bad_request(request, exception)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_api(request):
        return _answer(403, gettext_lazy("This is not allowed."))
    return defaults.permission_denied(request, exception)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_api(request):
        return _answer(404, gettext_lazy("There is nothing here."))
    if isinstance(exception, WrongParameter):
        context = {"wrong": exception, "links": exception.links(request.GET)}
        return render(request, "404.html", context, status=404)
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """An error page: 503 if the database is unavailable, 507 if the disk is full, 404 if another
    request has deleted what this one needs (409 in the API), else 500.
    """
    error = sys.exc_info()[1]
    if disk_is_full(error):
        return _failed(request, 507, DiskFull.default_detail)
    if database_may_answer_later(error):
        response = _failed(request, 503, Unavailable.default_detail)
        response["Retry-After"] = str(RETRY_AFTER)
        return response
    if isinstance(error, Exception) and needs_deleted_row(error):
        if _is_api(request):
            return _answer(409, Deleted.default_detail)
        return defaults.page_not_found(request, error)
    return _failed(request, 500, gettext_lazy("Something went wrong on this server."))


def _failed(request: HttpRequest, status: int, message: Promise) -> HttpResponse:
    if _is_api(request):
        return _answer(status, message)
    response = defaults.server_error(request, template_name=f"{status}.html")
    response.status_code = status
    return response


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith(reverse("api-unknown-path"))


def _answer(status: int, message: Promise) -> JsonResponse:
    """An error in English. `LanguageMiddleware` does not see requests that are refused before it
    knows their view.
    """
    with override(ENGLISH):
        return JsonResponse(error_body(CODES.get(status, "invalid"), str(message)), status=status)
