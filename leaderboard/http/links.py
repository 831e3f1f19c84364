"""Absolute addresses of the site, which can be copied."""

from __future__ import annotations

from typing import Final
from urllib.parse import urljoin

from django.conf import settings
from django.http import HttpRequest

WATCHED: Final = frozenset({"healthz", "readyz", "status-json", "metrics"})
"""The names of cheap URLs that monitoring programs request every few seconds."""

SECRET: Final = frozenset({"account_confirm_email", "unsubscribe"})
"""Names of addresses that hold a key: logs write the route in their place."""


def public_address(path: str) -> str:
    """The address of a path for mail: at the host of PUBLIC_URL, or the path alone without it."""
    return urljoin(settings.PUBLIC_URL, path) if settings.PUBLIC_URL else path


def absolute(request: HttpRequest, path: str) -> str:
    """The absolute address of a path: at the host of PUBLIC_URL, or of the request without it.

    path: from the root of the host, as `reverse` returns it.
    """
    if settings.PUBLIC_URL:
        return urljoin(settings.PUBLIC_URL, path)
    return request.build_absolute_uri(path)
