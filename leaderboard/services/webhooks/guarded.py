"""Requests to addresses that people type, which must not reach the operator's own network.

`GuardedConnection` resolves the name, checks all answers and connects to one of these, so that no
other answer can come between. Redirects and proxies of the environment are not followed.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from threading import Timer
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from leaderboard.rules.addresses import is_in, is_public

SECONDS: Final = 10.0
"""The longest time of a whole request."""
MOST_ANSWERED: Final = 1024
PORTS: Final = (443, 8443)


class AddressRefused(Exception):
    """The address is one that may not be called."""


class WebhookAnswer(NamedTuple):
    """status: of HTTP. retry_after: seconds that the receiver asks to wait; 0 for none."""

    status: int
    text: str
    retry_after: int
    took_ms: int


def checked_address(url: str) -> SplitResult:
    """The parts of an address that may be called, as far as the address tells.

    Raises AddressRefused, with a sentence about what is accepted.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise AddressRefused(_("must be an address such as https://example.org/hook")) from None
    host = (parts.hostname or "").rstrip(".")
    is_plain = url.isascii() and url.isprintable() and " " not in url
    if not is_plain or not host or parts.scheme not in ("https", "http"):
        raise AddressRefused(_("must be an address such as https://example.org/hook"))
    if parts.username is not None or parts.password is not None:
        raise AddressRefused(_("must be an address without a user name"))
    if host in settings.WEBHOOK_ALLOW.hosts:
        return parts
    if parts.scheme == "http" and not is_in(host, settings.WEBHOOK_ALLOW.networks):
        raise AddressRefused(_("must begin with https://"))
    if port not in (None, *PORTS) and not settings.WEBHOOK_ALLOW.networks:
        raise AddressRefused(_("must have the port 443 or 8443"))
    addresses_of(host, port or 443)
    return parts


def addresses_of(host: str, port: int) -> list[str]:
    """The addresses of a host, if all of them may be called. Raises AddressRefused, OSError."""
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise AddressRefused(_("must be the address of a host that can be found")) from None
    addresses = [str(answer[4][0]) for answer in answers]
    allowed = settings.WEBHOOK_ALLOW
    if host in allowed.hosts or all(is_in(address, allowed.networks) for address in addresses):
        return addresses
    if port not in PORTS or not all(map(is_public, addresses)):
        raise AddressRefused(_("must not be an address of a private network"))
    return addresses


def sent_request(url: str, method: str, body: bytes, headers: Mapping[str, str]) -> WebhookAnswer:
    """Send a request and read the beginning of the answer.

    Raises AddressRefused; OSError or `http.client.HTTPException` if there is no answer.
    """
    parts, began = checked_address(url), time.monotonic()
    connection = _connection(parts)
    watchdog = Timer(SECONDS, connection.abort)
    watchdog.daemon = True
    watchdog.start()
    try:
        target = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
        connection.request(method, target, body, dict(headers))
        response = connection.getresponse()
        text = response.read(MOST_ANSWERED).decode("utf-8", "replace").replace("\0", "")
        wait = response.headers.get("Retry-After", "")
        took = int((time.monotonic() - began) * 1000)
        return WebhookAnswer(response.status, text, int(wait) if wait.isdecimal() else 0, took)
    finally:
        watchdog.cancel()
        connection.close()


class GuardedConnection(http.client.HTTPConnection):
    """A connection to a checked address. tls: None for plain HTTP."""

    def __init__(self, host: str, port: int, tls: ssl.SSLContext | None) -> None:
        super().__init__(host, port, timeout=SECONDS)
        self._tls = tls

    def connect(self) -> None:
        error: OSError = OSError("no address")
        for address in addresses_of(self.host, self.port):
            try:
                self.sock = socket.create_connection((address, self.port), self.timeout)
                break
            except OSError as failed:
                error = failed
        else:
            raise error
        if self._tls is not None:
            self.sock = self._tls.wrap_socket(self.sock, server_hostname=self.host)

    def abort(self) -> None:
        """End the request from another thread."""
        if self.sock is not None:
            with suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)


def _connection(parts: SplitResult) -> GuardedConnection:
    is_secure = parts.scheme == "https"
    port = parts.port or (443 if is_secure else 80)
    host = (parts.hostname or "").rstrip(".")
    return GuardedConnection(host, port, ssl.create_default_context() if is_secure else None)
