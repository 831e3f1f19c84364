"""Limits the connections of the embedded server: their number, and the time a request may take.

Waitress closes idle connections, but a connection that sends a byte now and then is never idle. A
proxy in front does all of this better; this is for installations without one. Requests that the
server itself refuses, such as too large ones, have a line in the log.
"""

from __future__ import annotations

import logging
from functools import partial
from time import monotonic
from typing import Any, Final

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import BaseWSGIServer, create_server
from waitress.task import ErrorTask, ThreadedTaskDispatcher, WSGITask
from waitress.wasyncore import _DISCONNECTED

from leaderboard.http import arrivals
from leaderboard.http.arrivals import Arrival
from leaderboard.http.lanes import Lane, lane_of
from leaderboard.http.patience import HEADER_SECONDS, body_seconds
from leaderboard.rules.json.untyped_dicts import FieldOptions

logger = logging.getLogger(__name__)

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
        error = self.request.error
        logger.info("request refused", extra={"status": error.code, "reason": error.reason})
        super().execute()  # fails if the client has hung up


class TimedRequest(HTTPRequestParser):  # type: ignore[misc]
    """A request that knows when its first and its last byte arrived."""

    def __init__(self, channel: ImpatientChannel, adj: Any) -> None:
        super().__init__(adj)
        self._channel = channel
        self.arrival: Arrival | None = None

    def received(self, data: bytes) -> int:
        if self.arrival is None:
            self.arrival = Arrival(self._channel.last_received)
        self.arrival.ended = self._channel.last_received
        consumed: int = super().received(data)
        return consumed


class TimedTask(WSGITask):  # type: ignore[misc]
    """Tells the application when the request arrived."""

    def get_environment(self) -> Any:
        environ = super().get_environment()
        environ[arrivals.KEY] = self.request.arrival
        return environ


class ImpatientChannel(HTTPChannel):  # type: ignore[misc]
    """A connection that is closed when a request takes too long to arrive."""

    task_class = TimedTask
    error_task_class = RefusedRequest
    begun = 0.0
    """When the first byte of the incomplete request was read; 0 between requests."""
    last_received = 0.0
    """When the bytes that were read last had arrived."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.parser_class = partial(TimedRequest, self)

    def recv(self, buffer_size: int) -> bytes:
        """As `wasyncore.dispatcher.recv`, with the moment of the bytes."""
        try:
            data, self.last_received = arrivals.receive(self.socket, buffer_size)
        except OSError as error:
            if error.errno not in _DISCONNECTED:
                raise
            data = b""
        if not data:
            self.handle_close()
        return data

    def received(self, data: bytes) -> bool:
        is_complete: bool = super().received(data)
        if self.request is None:
            self.begun = 0.0
        elif not self.begun:
            self.begun = monotonic()
        return is_complete

    def writable(self) -> Any:
        """Close the connection if its request takes too long. The server calls this for each
        connection at least once a second.
        """
        if self.begun and monotonic() > self.begun + self._patience():
            self.will_close = True
        return super().writable()

    def _patience(self) -> float:
        request = self.request
        if request is None or not request.headers_finished:
            return HEADER_SECONDS
        return body_seconds(request.content_length or request.body_bytes_received)


class Lanes:
    """The threads of the server, some of which serve only some requests."""

    def __init__(self) -> None:
        self._dispatchers: dict[Lane, Any] = {
            lane: ThreadedTaskDispatcher() for lane in Lane if lane is not Lane.CROWDED
        }
        for lane, dispatcher in self._dispatchers.items():
            dispatcher.set_thread_count(lane.threads)

    def add_task(self, channel: Any) -> None:
        """Serve the next request of a connection."""
        request = channel.requests[0]
        lane = lane_of(getattr(request, "command", ""), getattr(request, "path", ""))
        self._dispatchers[lane].add_task(channel)

    def set_thread_count(self, count: int) -> None:
        """Each lane has its own number; Waitress asks for one of all."""

    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> bool:
        ended = [
            dispatcher.shutdown(cancel_pending, timeout)
            for dispatcher in self._dispatchers.values()
        ]
        return all(ended)


def limited_server(application: Any, **settings: Any) -> Any:
    """A listening server of Waitress with limits for slow and for many clients."""
    sockets: dict[int, Any] = {}
    server = create_server(application, sockets, _dispatcher=Lanes(), **SETTINGS, **settings)
    for socket in sockets.values():
        if isinstance(socket, BaseWSGIServer):
            socket.channel_class = ImpatientChannel
            arrivals.stamp_arrivals(socket.socket)
    return server
