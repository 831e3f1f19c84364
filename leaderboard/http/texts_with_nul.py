"""Refuses requests with the character NUL, which PostgreSQL stores in no text.

No name, search or cursor contains it. SQLite would search for it and find nothing. PostgreSQL
refuses the statement, which would cause a server error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.core.exceptions import BadRequest
from django.db import DataError
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

NUL: Final = "\0"
SENT: Final = ("%00", NUL)
"""How a query contains it."""


class NulMiddleware:
    """Answers 404 to a NUL in the path, and 400 in the query, or where the database refuses it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if NUL in request.path_info:
            raise Http404("No address contains the character NUL.")
        query = request.META.get("QUERY_STRING", "")
        if any(encoded in query for encoded in SENT) and not _is_api(request):
            raise BadRequest("The query contains the character NUL.")
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> None:
        """Turn the error of the database driver into a refusal."""
        if is_about_nul(error):
            raise BadRequest("A text contains the character NUL.") from error


def _is_api(request: HttpRequest) -> bool:
    """Whether the request is to the API, whose views name the wrong parameter."""
    return request.path.startswith(reverse("api-unknown-path"))


def is_about_nul(error: Exception) -> bool:
    """Whether a database driver has refused a text because of a NUL."""
    return isinstance(error, DataError | ValueError) and "NUL (0x00)" in str(error)
