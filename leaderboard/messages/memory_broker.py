"""The broker of the embedded mode: kombu's broker in memory, but without polling.

kombu's consumers sleep between two polls. So an attempt would wait half of that time on average,
and an idle server would wake twenty times a second. Here each sent message wakes the consumers.
"""

from __future__ import annotations

import threading
import time
from queue import Empty
from typing import Any, Final

from kombu.transport import memory

LONGEST: Final = 1.0
"""The seconds without a message after which a consumer polls anyway."""

_came = threading.Condition()
_sent = 0


class Channel(memory.Channel):
    def _put(self, queue: str, message: Any, **kwargs: Any) -> None:
        super()._put(queue, message, **kwargs)
        _wake()

    def _put_fanout(
        self, exchange: str, message: Any, routing_key: str | None = None, **kwargs: Any
    ) -> None:
        super()._put_fanout(exchange, message, routing_key, **kwargs)
        _wake()


class Transport(memory.Transport):
    Channel = Channel

    def drain_events(  # type: ignore[override]
        self, connection: Any, timeout: float | None = None
    ) -> None:
        """Deliver one message. Raises TimeoutError when none comes in time."""
        cycle: Any = self.cycle
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            sent_before = _sent
            try:
                cycle.get(self._deliver, timeout=timeout)
            except Empty:
                left = LONGEST if until is None else min(LONGEST, until - time.monotonic())
                if left <= 0:
                    raise TimeoutError from None
                wait(sent_before, left)
            else:
                return


def _wake() -> None:
    global _sent
    with _came:
        _sent += 1
        _came.notify_all()


def sent() -> int:
    """The number of messages that were sent so far."""
    return _sent


def wait(sent_before: int, seconds: float) -> None:
    """Wait until a message is sent, at most `seconds`. sent_before: the last result of `sent`."""
    with _came:
        _came.wait_for(lambda: _sent != sent_before, seconds)
