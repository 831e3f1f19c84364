"""The page for a method that an address does not accept, such as GET on that of a button."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseNotAllowed
from django.shortcuts import render

from leaderboard.pages.site.languages import is_for_programs


class MethodMiddleware:
    """Gives the empty answer 405 of a page our error page, as browsers would show their own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        match = request.resolver_match
        if not isinstance(answer, HttpResponseNotAllowed) or answer.content:
            return answer
        if match is None or is_for_programs(match):
            return answer
        page = render(request, "405.html", status=405)
        page["Allow"] = answer["Allow"]
        return page
