"""The page of the API documentation. Its main part is the same for all readers of a language."""

from __future__ import annotations

from functools import cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from leaderboard.http.links import absolute
from leaderboard.languages.translation import ENGLISH
from leaderboard.pages.api_docs.document import openapi_document
from leaderboard.pages.api_docs.objects import ApiObjects
from leaderboard.pages.api_docs.operations import errors_of, groups_of


@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    context = {
        "host": absolute(request, reverse("challenges")).rstrip("/"),
        "content": html_of(get_language() or ENGLISH),
    }
    return render(request, "pages/api_docs/page.html", context)


@cache
def html_of(language: str) -> SafeString:
    """Operations and objects as HTML, in the active language. A process renders them once."""
    document = openapi_document()
    objects = ApiObjects(document["components"]["schemas"])
    context = {
        "groups": groups_of(document, objects),
        "errors": errors_of(document),
        "objects": objects.described(),
        "english": "" if language == ENGLISH else mark_safe(' lang="en"'),
    }
    return render_to_string("pages/api_docs/content.html", context)
