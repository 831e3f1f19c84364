"""Headers on every answer that tell browsers which features our pages do not need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.cache import has_vary_header

UNUSED: Final = (
    "accelerometer",
    "autoplay",
    "browsing-topics",
    "camera",
    "display-capture",
    "geolocation",
    "gyroscope",
    "hid",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "serial",
    "usb",
)
"""The browser features that our pages, and anything included in them, may not use."""

HEADERS: Final = {
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in UNUSED),
    # No other site may include our pages, files or answers of the API with the reader's cookies.
    "Cross-Origin-Resource-Policy": "same-origin",
}


PERSONAL: Final = "private, no-cache"
"""The `Cache-Control` of an answer that depends on the reader, so that no cache between gives it to
others, and a browser asks again after the reader has signed out."""


class HeadersMiddleware:
    """Adds the headers that a view has not set itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if has_vary_header(response, "Cookie"):
            response.headers.setdefault("Cache-Control", PERSONAL)
        return response
