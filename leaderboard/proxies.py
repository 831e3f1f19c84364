"""The client's address behind reverse proxies."""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse


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
            request.META["REMOTE_ADDR"] = addresses[-settings.TRUSTED_PROXIES :][0]
        return self.get_response(request)
