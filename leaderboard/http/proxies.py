"""The client's address behind reverse proxies."""

import re
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse

WITH_PORT = re.compile(r"(?P<v4>[0-9.]+):[0-9]+|\[(?P<v6>[0-9A-Fa-f:.]+)\](:[0-9]+)?", re.ASCII)


class ClientAddressMiddleware:
    """Puts the client's address into REMOTE_ADDR, for throttles and for sign-in limits.

    Each trusted proxy appends the address that it saw to X-Forwarded-For, so the client is the
    TRUSTED_PROXIES-th entry from the right; entries further left are only claims of the client.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.TRUSTED_PROXIES:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
        addresses = [address.strip() for address in forwarded.split(",") if address.strip()]
        if addresses:
            client = addresses[-settings.TRUSTED_PROXIES :][0]
            request.META["REMOTE_ADDR"] = _without_port(client)
        return self.get_response(request)


def _without_port(address: str) -> str:
    """Some proxies append the client's port, which differs for each connection."""
    match = WITH_PORT.fullmatch(address)
    return (match["v4"] or match["v6"]) if match else address
