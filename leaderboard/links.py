"""Whole addresses of the site, for whoever copies one."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.http import HttpRequest

WATCHED: Final = frozenset({"healthz", "readyz", "status-json", "metrics"})
"""Names of what programs ask every few seconds to watch the product. It is cheap."""


def absolute(request: HttpRequest, path: str) -> str:
    """The address of a path: below PUBLIC_URL, or, without one, the name the site was called by."""
    if settings.PUBLIC_URL:
        return f"{settings.PUBLIC_URL}{path}"
    return request.build_absolute_uri(path)
