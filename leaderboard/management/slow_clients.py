"""Connections of the server in one process: how many, and how long a request may take to arrive.

Waitress closes connections that are idle, but one that sends a byte now and then is never idle. A
proxy in front does all of this better; this is for installations that have none.
"""

from __future__ import annotations

from time import monotonic
from typing import Any, Final

from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer, create_server

HEADER_SECONDS: Final = 20
"""From the first byte of a request to the end of its headers."""
BODY_SECONDS: Final = 15 * 60
"""To the end of its body: 65 MiB over a slow line."""
SETTINGS: Final[dict[str, Any]] = {
    # What `select` cannot watch, `poll` can. Each connection is a file of the process's.
    "connection_limit": 500,
    "asyncore_use_poll": True,
    "backlog": 512,
    # Of a connection on which nothing happens, and how often those are looked for.
    "channel_timeout": 30,
    "cleanup_interval": 5,
    "max_request_header_size": 64 * 1024,
}


class ImpatientChannel(HTTPChannel):  # type: ignore[misc]
    """A connection that is closed when a request takes too long to arrive."""

    begun = 0.0
    """When the first byte of the request came that is not complete yet; 0 between requests."""

    def received(self, data: bytes) -> bool:
        known: bool = super().received(data)
        if self.request is None:
            self.begun = 0.0
        elif not self.begun:
            self.begun = monotonic()
        return known

    def writable(self) -> Any:
        """Asked for each connection, once a second at the least."""
        if self.begun and monotonic() > self.begun + self._patience():
            self.will_close = True
        return super().writable()

    def _patience(self) -> float:
        request = self.request
        return BODY_SECONDS if request is not None and request.headers_finished else HEADER_SECONDS


def limited_server(application: Any, **settings: Any) -> Any:
    """A server of Waitress that listens, for clients that may be slow or many."""
    sockets: dict[int, Any] = {}
    server = create_server(application, map=sockets, **SETTINGS, **settings)
    for each in sockets.values():
        if isinstance(each, BaseWSGIServer):
            each.channel_class = ImpatientChannel
    return server
