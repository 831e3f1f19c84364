"""What paths of the API that lead nowhere answer, and requests that fail outside of its views."""

from __future__ import annotations

import sys
from typing import Any

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from leaderboard.api.errors import CODES, error_body
from leaderboard.api.views.base import AnyAccept, ApiView
from leaderboard.services.refused import Refused

PREFIX = "/api/"


@extend_schema(exclude=True)
class NothingView(ApiView):
    """Any method at a path that is none."""

    permission_classes = []
    content_negotiation_class = AnyAccept

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if request.path.endswith("/"):
            raise NotFound
        raise Refused("not_found", "There is nothing here. Paths of the API end with a slash.")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_api(request):
        return _answer(400, "The request cannot be understood.")
    return defaults.bad_request(request, exception)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_api(request):
        return _answer(403, "This is not allowed.")
    return defaults.permission_denied(request, exception)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_api(request):
        return _answer(404, "There is nothing here.")
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """A page that says so; 503 while the database is away, which is nobody's mistake."""
    if _is_api(request):
        return _answer(500, "Something went wrong on this server.")
    response = defaults.server_error(request)
    if isinstance(sys.exc_info()[1], OperationalError):
        response.status_code, response["Retry-After"] = 503, "10"
    return response


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith(PREFIX)


def _answer(status: int, message: str) -> JsonResponse:
    return JsonResponse(error_body(CODES.get(status, "invalid"), message), status=status)
