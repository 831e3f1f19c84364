"""The pages of the API documentation: one per group of operations, one of errors and objects.

Their main parts are the same for all readers of a language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
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
from leaderboard.pages.api_docs.operations import ApiGroup, ApiOperation, errors_of, groups_of

MAX_SEARCH: Final = 120
_ID: Final = re.compile(r'\bid="([^"]+)"')
_LINK: Final = re.compile(r'href="#([^"]+)"')


class ApiDocs(NamedTuple):
    """The documentation in a language. parts: HTML by the name of the page. english: the attribute
    of texts that are always in English."""

    groups: Sequence[ApiGroup]
    parts: Mapping[str, SafeString]
    english: SafeString | str

    def matching(self, search: str) -> list[tuple[ApiGroup, ApiOperation]]:
        """The operations whose texts have all words of a search."""
        words = search.lower().split()
        return [
            (group, operation)
            for group in self.groups
            for operation in group.operations
            if all(word in _text(operation) for word in words)
        ]


@require_safe
def api_docs(request: HttpRequest, part: str = "") -> HttpResponse:
    docs = docs_in(get_language() or ENGLISH)
    if part and part not in docs.parts:
        raise Http404("There is no such page.")
    search = request.GET.get("q", "").strip()[:MAX_SEARCH]
    context = {
        "host": absolute(request, reverse("challenges")).rstrip("/"),
        "docs": docs,
        "part": part,
        "content": docs.parts.get(part, ""),
        "search": search,
        "matches": docs.matching(search) if search else [],
    }
    return render(request, "pages/api_docs/page.html", context)


@cache
def docs_in(language: str) -> ApiDocs:
    """The documentation in the active language. A process renders it once."""
    document = openapi_document()
    objects = ApiObjects(document["components"]["schemas"])
    english = "" if language == ENGLISH else mark_safe(' lang="en"')
    groups = groups_of(document, objects)
    parts = {
        group.name: _rendered("group", {"group": group, "english": english}) for group in groups
    }
    errors = {"errors": errors_of(document), "english": english}
    parts["errors"] = _rendered("errors", errors)
    parts["objects"] = _rendered("objects", {"objects": objects.described(), "english": english})
    return ApiDocs(groups, _linked(parts), english)


def _rendered(name: str, context: Mapping[str, object]) -> SafeString:
    return render_to_string(f"pages/api_docs/{name}.html", dict(context))


def _linked(parts: Mapping[str, SafeString]) -> dict[str, SafeString]:
    """The parts with links to each other."""
    pages = {name: part for part, html in parts.items() for name in _ID.findall(html)}

    def address(match: re.Match[str]) -> str:
        name = match[1]
        url = reverse("api-docs-part", args=[pages[name]]) if name in pages else ""
        return f'href="{url}#{name}"'

    return {
        part: mark_safe(_LINK.sub(address, html))  # noqa: S308 - rendered
        for part, html in parts.items()
    }


def _text(operation: ApiOperation) -> str:
    parts = (operation.id, operation.method, operation.path, operation.summary)
    return " ".join((*parts, operation.description)).lower()
