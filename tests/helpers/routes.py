"""Every route of the site but those of the admin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from leaderboard.pages.site.read_only import accepted_methods


def routes_of_site() -> Iterator[tuple[str, URLPattern]]:
    """Yield the name of each route, such as `api:attempt`, with its pattern."""
    yield from _routes_in(get_resolver().url_patterns, "")


def _routes_in(
    patterns: list[URLPattern | URLResolver], space: str
) -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield f"{space}{pattern.name}", pattern
        elif pattern.namespace != "admin":
            inner = f"{pattern.namespace}:" if pattern.namespace else space
            yield from _routes_in(pattern.url_patterns, inner)


def refuses_get(view: Any) -> bool:
    """Whether a view only accepts what is sent to it, so that it shows nothing."""
    of_class = getattr(view, "cls", None) or getattr(view, "view_class", None)
    if of_class is not None:
        return not hasattr(of_class, "get")
    return "GET" not in (accepted_methods(view) or ("GET",))
