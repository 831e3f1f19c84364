"""A worker of gunicorn whose threads serve only requests that have arrived as a whole.

gunicorn's own worker with threads gives each new connection a thread, which then waits for the
headers and the body: a few clients that send slowly hold all of them. Here the loop that accepts
connections also receives the requests, as Waitress does, and knows when they arrived.
"""

from __future__ import annotations

import selectors
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from gunicorn import http
from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.gthread import ThreadWorker

from leaderboard.http import arrivals
from leaderboard.http.arrivals import Arrival
from leaderboard.http.crowds import Crowded, Crowds
from leaderboard.http.incoming_bodies import Incoming
from leaderboard.http.lanes import Lane, lane_of
from leaderboard.http.patience import HEADER_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed.wsgi import StartResponse, WSGIEnvironment

MOST_KEPT: Final = 256 * 1024 * 1024
"""The bytes of large bodies that a process keeps in files at a time; further ones wait."""
CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class Arriving(Incoming):
    """A request of a connection on its way in, and when its bytes arrived."""

    def __init__(self) -> None:
        super().__init__()
        self.connected = monotonic()
        self.arrival: Arrival | None = None
        self.head_is_handled = False
        self.reserved = 0

    def received(self, data: bytes, moment: float) -> None:
        if self.arrival is None:
            self.arrival = Arrival(moment)
        self.arrival.ended = moment
        self.feed(data)

    def is_late(self, now: float) -> bool:
        """Whether the rest of the request takes too long."""
        begun = self.connected if self.arrival is None else self.arrival.began
        return now > begun + (self.patience if self.has_head else HEADER_SECONDS)


class ReceivedFirst(SocketUnreader):  # type: ignore[misc]
    """Gives gunicorn's parser what has been received, then what the socket has."""

    def __init__(self, sock: Any, file: Any) -> None:
        super().__init__(sock)
        self._file = file

    def chunk(self, size_hint: int | None = None) -> bytes:
        if self._file is not None:
            size = min(max(size_hint or 0, self.mxchunk), self.max_body_chunk)
            if data := bytes(self._file.read(size)):
                return data
            self._file.close()
            self._file = None
        received: bytes = super().chunk(size_hint)
        return received


class PatientWorker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's worker with threads, which get requests when they have arrived."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._arriving: dict[Any, Arriving] = {}
        self._without_room: deque[Any] = deque()
        self._reserved = 0
        self._look_at = 0.0
        self._serving = threading.local()
        self._crowds = Crowds()

    def init_process(self) -> None:
        self._pools: dict[Lane, ThreadPoolExecutor] = {
            lane: ThreadPoolExecutor(lane.threads) for lane in Lane if lane is not Lane.MAIN
        }
        for listener in self.sockets:
            arrivals.stamp_arrivals(listener.sock)
        super().init_process()

    def load_wsgi(self) -> None:
        super().load_wsgi()
        application: Any = self.wsgi  # type: ignore[has-type]

        def knowing(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
            environ[arrivals.KEY] = self._serving.arrival
            answer: Iterable[bytes] = application(environ, start_response)
            return answer

        self.wsgi = knowing

    def handle_request(self, req: Any, conn: Any) -> Any:
        self._serving.arrival = conn.arrival
        return super().handle_request(req, conn)

    def enqueue_req(self, conn: Any) -> None:
        """Receive the next request of a connection; gunicorn calls this in its loop."""
        if self.cfg.is_ssl:
            conn.arrival = Arrival(monotonic())
            super().enqueue_req(conn)
            return
        arriving = self._arriving[conn] = Arriving()
        if conn.parser is not None and (left := conn.parser.unreader.take_buffered()):
            arriving.received(left, monotonic())
        conn.sock.setblocking(False)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._on_bytes, conn))
        self._go_on(conn, arriving)

    def finish_request(self, conn: Any, fs: Any) -> None:
        self._release(conn)
        if change := getattr(conn, "change", None):
            self._crowds.end(change)
        super().finish_request(conn, fs)

    def murder_pending(self) -> None:
        """Close the connections whose requests take too long; gunicorn calls this each second."""
        now = monotonic()
        if now < self._look_at:
            return
        self._look_at = now + 1
        for conn, arriving in list(self._arriving.items()):
            is_idle = arriving.arrival is None and not self.alive
            if conn not in self._without_room and (is_idle or arriving.is_late(now)):
                self._drop(conn)

    def _on_bytes(self, conn: Any, _sock: Any) -> None:
        """Read what a client has sent; an error, such as of a full disk, ends only its request."""
        arriving = self._arriving[conn]
        try:
            data, moment = arrivals.receive(conn.sock, arriving.wanted)
            if data:
                arriving.received(data, moment)
        except BlockingIOError:
            return
        except OSError as error:
            self.log.debug("A request was not received: %s", error)
            data = b""
        if data:
            self._go_on(conn, arriving)
        else:
            self._drop(conn)

    def _go_on(self, conn: Any, arriving: Arriving) -> None:
        """Serve a request that has arrived; tell its client to send a body; or wait for more."""
        if arriving.is_complete:
            self.poller.unregister(conn.sock)
            self._serve(conn, self._arriving.pop(conn))
        elif arriving.has_head and not arriving.head_is_handled:
            arriving.head_is_handled = True
            if arriving.expects_continue:
                _send(conn, CONTINUE)
            if arriving.is_large and not self._has_room(arriving):
                self.poller.unregister(conn.sock)
                self._without_room.append(conn)

    def _has_room(self, arriving: Arriving) -> bool:
        if self._reserved and self._reserved + arriving.length > MOST_KEPT:
            return False
        arriving.reserved = arriving.length
        self._reserved += arriving.length
        return True

    def _release(self, conn: Any) -> None:
        """Give the room of a connection's body to those that wait for it, the oldest first."""
        self._reserved -= getattr(conn, "reserved", 0)
        conn.reserved = 0
        while self._without_room and self._has_room(self._arriving[self._without_room[0]]):
            waiting = self._without_room.popleft()
            read = partial(self._on_bytes, waiting)
            self.poller.register(waiting.sock, selectors.EVENT_READ, read)

    def _serve(self, conn: Any, arriving: Arriving) -> None:
        conn.arrival, conn.reserved = arriving.arrival, arriving.reserved
        conn.data_ready = conn.initialized = True
        if conn.parser is None:
            conn.parser = http.get_parser(self.cfg, conn.sock, conn.client)
        if arriving.file is None:
            conn.parser.unreader.unread(arriving.taken())
        else:
            conn.parser.unreader = ReceivedFirst(conn.sock, arriving.file)
        lane, conn.change = lane_of(arriving.method, arriving.path), None
        if lane is Lane.MAIN:
            try:
                conn.change = self._crowds.begin(arriving.method, arriving.path)
            except Crowded:
                lane = Lane.CROWDED
        pool: Any = self._pools.get(lane) or self.tpool
        served = pool.submit(self.handle, conn)
        served.add_done_callback(
            lambda future: self.method_queue.defer(self.finish_request, conn, future)
        )

    def _drop(self, conn: Any) -> None:
        """Close a connection whose request will not be served."""
        arriving = self._arriving.pop(conn)
        arriving.close()
        self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        conn.close()
        conn.reserved = arriving.reserved
        self._release(conn)


def _send(conn: Any, data: bytes) -> None:
    """Send a few bytes on a socket that does not wait; a client that reads nothing gets none."""
    try:
        conn.sock.send(data)
    except OSError:
        return
