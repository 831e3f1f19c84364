"""The language of an answer: the reader's on pages, English for programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.urls import ResolverMatch
from django.utils import translation
from django.utils.cache import patch_vary_headers

from leaderboard.http.links import WATCHED
from leaderboard.languages.translation import ENGLISH
from leaderboard.pages.site.limits import API

FOR_PROGRAMS: Final = frozenset({"schema", "api-unknown-path", *WATCHED})
"""Names of the views outside of the API that programs request."""


class LanguageMiddleware(LocaleMiddleware):
    """Chooses among `LANGUAGES` by the cookie, then by Accept-Language.

    The API always answers in English, because programs compare its texts, and an ETag must mean one
    answer. After a request the former language of the thread is restored.
    """

    def __call__(self, request: HttpRequest) -> Any:
        with translation.override(ENGLISH):
            return super().__call__(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., Any],
        args: Any,
        kwargs: Any,
    ) -> None:
        match = request.resolver_match
        if match is not None and is_for_programs(match):
            translation.activate(ENGLISH)
            request.LANGUAGE_CODE = ENGLISH

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        match = request.resolver_match
        if match is not None and is_for_programs(match):
            return response
        response.headers.setdefault("Content-Language", translation.get_language() or ENGLISH)
        if len(settings.LANGUAGES) > 1:
            # Readers with the cookie and readers without it get different pages.
            patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response


def is_for_programs(match: ResolverMatch) -> bool:
    return API in match.namespaces or match.view_name in FOR_PROGRAMS
