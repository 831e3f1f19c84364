"""When a request arrived, however long it then waited for a thread.

The servers note the moments at which the first and the last byte of a request arrived, on Linux by
the kernel's own clock of received bytes, so that a busy server does not make anybody late. A proxy
that receives whole requests first, and only then passes them on, tells when it began.
"""

from __future__ import annotations

import re
import socket
import struct
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings

KEY: Final = "podium.arrival"
"""The name of the `Arrival` in a WSGI environment."""
PROMPT_SECONDS: Final = 10
"""A request whose last byte arrives at most so long after its first counts from the first."""
OLDEST: Final = 15 * 60
"""A proxy's header about an earlier moment is wrong: no request may take so long."""
HEADER: Final = "HTTP_X_REQUEST_START"
HEADER_FORMAT: Final = re.compile(
    r"t=(?P<start>\d{10}(\.\d{1,9})?|\d{13}|\d{16})"
    r"(; *took=(?P<took>\d{1,9}(\.\d{1,20})?(e-\d\d)?)(?P<ms>ms)?)?"
)
_STAMPS: Final = 35 if sys.platform == "linux" else None
"""SO_TIMESTAMPNS, which Python's `socket` does not name; the stamps have the same number."""
_STAMP: Final = struct.Struct("@qq")
_DELAYED_AT_MOST: Final = 300.0
"""A stamp that is older comes from a clock that has been changed."""


@dataclass(slots=True)
class Arrival:
    """The moments of the first and of the last byte of a request, by the monotonic clock.

    ended: None while the body is being read.
    """

    began: float
    ended: float | None = None

    @property
    def took(self) -> float:
        """The seconds from the first to the last byte, or until now."""
        return (time.monotonic() if self.ended is None else self.ended) - self.began

    @property
    def moment(self) -> float:
        """When the request counts as received, by the monotonic clock."""
        return self.began if self.took <= PROMPT_SECONDS else self.began + self.took


def moment_of(environ: Mapping[str, Any]) -> float:
    """When a request was received, by the monotonic clock; now, if the server does not say.

    Call it when the body has been read.
    """
    arrival = environ.get(KEY)
    if arrival is None:
        return time.monotonic()
    if settings.TRUST_REQUEST_START and (
        passed_on := _times_at_proxy(str(environ.get(HEADER, "")))
    ):
        arrival = _at_the_proxy(arrival, *passed_on)
    moment: float = arrival.moment
    return moment


def _times_at_proxy(header: str) -> tuple[float, float] | None:
    """When the proxy passed a request on, by the monotonic clock, and the seconds it had taken.

    None for a header that is missing or wrong, such as one from a clock that is ahead of ours.
    """
    match = HEADER_FORMAT.fullmatch(header.strip())
    if match is None:
        return None
    digits = match["start"]
    start = float(digits) / (1 if "." in digits else 10 ** (len(digits) - 10))
    ago = time.time() - start
    took = float(match["took"] or 0) / (1000 if match["ms"] else 1)
    return (time.monotonic() - ago, took) if 0 <= ago <= OLDEST else None


def _at_the_proxy(arrival: Arrival, sent: float, took: float) -> Arrival:
    """The arrival at the proxy, which received for `took` seconds before it passed the request on.

    What it had not received by then has reached this server as it came.
    """
    return Arrival(sent - took, sent + arrival.took)


def stamp_arrivals(listening: socket.socket) -> None:
    """Let the kernel note when bytes arrive at the connections of a listening socket."""
    if _STAMPS is not None:
        try:
            listening.setsockopt(socket.SOL_SOCKET, _STAMPS, 1)
        except OSError:  # then `receive` takes the moment at which it reads
            return


def receive(connection: socket.socket, size: int) -> tuple[bytes, float]:
    """Received bytes, and when the last of them arrived, by the monotonic clock."""
    data, ancillary, *_ = connection.recvmsg(size, 64)
    now = time.monotonic()
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == _STAMPS and len(content) >= _STAMP.size:
            seconds, nanoseconds = _STAMP.unpack_from(content)
            delay = time.time() - (seconds + nanoseconds / 1e9)
            return data, now - delay if 0 <= delay <= _DELAYED_AT_MOST else now
    return data, now
