"""Limits the connections of the embedded server: their number, and the time a request may take.

Waitress closes idle connections, but a connection that sends a byte now and then is never idle. A
proxy in front does all of this better; this is for installations without one. Requests that the
server itself refuses, such as too large ones, have a line in the log.
"""

from __future__ import annotations

import logging
from time import monotonic
from typing import Any, Final

from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer, create_server
from waitress.task import ErrorTask

from leaderboard.rules.open_dicts import FieldOptions

logger = logging.getLogger(__name__)

HEADER_SECONDS: Final = 20
"""The longest time from the first byte of a request to the end of its headers."""
BODY_SECONDS: Final = 15 * 60
"""The longest time from the first byte to the end of the body: 65 MiB over a slow line."""
SETTINGS: Final[FieldOptions] = {
    # `select` cannot watch so many descriptors, `poll` can. Each connection needs a descriptor.
    "connection_limit": 500,
    "asyncore_use_poll": True,
    "backlog": 512,
    # After how long an idle connection is closed, and how often idle connections are looked for.
    "channel_timeout": 30,
    "cleanup_interval": 5,
    "max_request_header_size": 64 * 1024,
}


class RefusedRequest(ErrorTask):  # type: ignore[misc]
    """The answer to a request that does not reach the application, which logs all others.

    Without method and path, as these may be wrong or contain a secret.
    """

    def execute(self) -> None:
        super().execute()
        error = self.request.error
        logger.info("request refused", extra={"status": error.code, "reason": error.reason})


class ImpatientChannel(HTTPChannel):  # type: ignore[misc]
    """A connection that is closed when a request takes too long to arrive."""

    error_task_class = RefusedRequest
    begun = 0.0
    """When the first byte of the incomplete request arrived; 0 between requests."""

    def received(self, data: bytes) -> bool:
        known: bool = super().received(data)
        if self.request is None:
            self.begun = 0.0
        elif not self.begun:
            self.begun = monotonic()
        return known

    def writable(self) -> Any:
        """Close the connection if its request takes too long. The server calls this for each
        connection at least once a second.
        """
        if self.begun and monotonic() > self.begun + self._patience():
            self.will_close = True
        return super().writable()

    def _patience(self) -> float:
        request = self.request
        return BODY_SECONDS if request is not None and request.headers_finished else HEADER_SECONDS


def limited_server(application: Any, **settings: Any) -> Any:
    """A listening server of Waitress with limits for slow and for many clients."""
    sockets: dict[int, Any] = {}
    server = create_server(application, map=sockets, **SETTINGS, **settings)
    for each in sockets.values():
        if isinstance(each, BaseWSGIServer):
            each.channel_class = ImpatientChannel
    return server
