"""Answers requests with a method that a page does not accept before their CSRF token is checked.

A page without a form accepts no POST. Its answer should say so (405). Without this middleware, the
check of the token would answer first: 403.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseNotAllowed

_GIVEN = "request_method_list"
"""What Django's `require_http_methods`, `require_safe` and so on call the methods they accept."""


class ReadOnlyMiddleware:
    """Answers 405 for a method that the decorators of a view refuse; all others go on."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        accepted = accepted_methods(view)
        if accepted is None or request.method in accepted:
            return None
        return HttpResponseNotAllowed(accepted)


@cache
def accepted_methods(view: Callable[..., Any]) -> tuple[str, ...] | None:
    """The methods that the decorators of a view accept; None if it has no such decorator."""
    inner: Callable[..., Any] | None = view
    while inner is not None:
        if inspect.isfunction(inner) and _GIVEN in inner.__code__.co_freevars:
            return tuple(inspect.getclosurevars(inner).nonlocals[_GIVEN])
        inner = getattr(inner, "__wrapped__", None)
    return None
