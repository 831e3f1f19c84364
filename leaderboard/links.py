"""Whole addresses of the site, for whoever copies one."""

from __future__ import annotations

from typing import Final
from urllib.parse import urljoin

from django.conf import settings
from django.http import HttpRequest

WATCHED: Final = frozenset({"healthz", "readyz", "status-json", "metrics"})
"""Names of what programs ask every few seconds to watch the product. It is cheap."""


def absolute(request: HttpRequest, path: str) -> str:
    """The address of a path of ours: at PUBLIC_URL's host, or, without one, the one that was asked.

    path: from the root of the host, as `reverse` gives it.
    """
    if settings.PUBLIC_URL:
        return urljoin(settings.PUBLIC_URL, path)
    return request.build_absolute_uri(path)
