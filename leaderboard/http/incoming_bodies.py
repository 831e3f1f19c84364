"""The bytes of a request on their way in, and whether it has arrived as a whole."""

from __future__ import annotations

import re
from tempfile import TemporaryFile
from typing import IO, Final

from waitress.receiver import ChunkedReceiver

from leaderboard.http.patience import body_seconds

END_OF_HEAD: Final = b"\r\n\r\n"
MOST_HEAD: Final = 64 * 1024
"""A longer head counts as arrived, so that gunicorn refuses it."""
MOST_SMALL: Final = 256 * 1024
"""The bytes of a request that stay in memory; a larger one is in a file."""
MOST_READ: Final = 1024 * 1024
MOST_BODY: Final = 66 * 1024 * 1024
"""The body of a longer request is not received: the product refuses it by its length."""
MOST_OF_STRANGERS: Final = 64 * 1024
"""The longest body without a token or cookie that is received: without them, no view reads more."""
LENGTH: Final = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,15})[ \t]*(?=\r\n)", re.IGNORECASE)
CHUNKED: Final = re.compile(rb"\r\ntransfer-encoding:[^\r]*chunked", re.IGNORECASE)
CONTINUE: Final = re.compile(rb"\r\nexpect:[ \t]*100-continue", re.IGNORECASE)
KNOWN: Final = re.compile(rb"\r\n(cookie|authorization):", re.IGNORECASE)


class _Counter:
    """What a receiver of chunks stores bytes in: only their number is of interest."""

    def __init__(self) -> None:
        self.size = 0

    def append(self, data: bytes) -> None:
        self.size += len(data)


class Incoming:
    """A request as it comes in. Malformed ones count as arrived, so that gunicorn refuses them."""

    def __init__(self) -> None:
        self._memory = bytearray()
        self.file: IO[bytes] | None = None
        self.has_head = False
        self.is_complete = False
        self.expects_continue = False
        self.method = self.path = ""
        self.length = 0
        """The announced length of the body; 0 for one in chunks."""
        self._missing = 0
        self._chunks: ChunkedReceiver | None = None
        self._counter = _Counter()

    @property
    def wanted(self) -> int:
        """How many bytes to read next: never those of a request behind a large one."""
        if self._chunks is not None or not self.has_head:
            return MOST_HEAD
        return min(self._missing, MOST_READ)

    @property
    def is_large(self) -> bool:
        """Whether the body is kept in a file."""
        return self.length > MOST_SMALL

    @property
    def patience(self) -> float:
        """The longest time from the first byte to the end of the body, in seconds."""
        return body_seconds(self.length or self._counter.size)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the connection."""
        if self.has_head:
            self._keep(data)
            self._follow(data)
            return
        searched = max(0, len(self._memory) - len(END_OF_HEAD))
        self._memory += data
        end = self._memory.find(END_OF_HEAD, searched)
        if end >= 0:
            self._begin_body(end + len(END_OF_HEAD))
        elif len(self._memory) > MOST_HEAD:
            self.is_complete = True

    def taken(self) -> bytes:
        """All bytes of a request that is kept in memory, and of those behind it."""
        return bytes(self._memory)

    def close(self) -> None:
        """Forget a request that is not served."""
        if self.file is not None:
            self.file.close()

    def _begin_body(self, start: int) -> None:
        self.has_head = True
        head = bytes(self._memory[:start])
        method, _, rest = head.partition(b" ")
        self.method = method.strip().decode("latin-1")
        self.path = rest.partition(b" ")[0].decode("latin-1")
        self.expects_continue = CONTINUE.search(head) is not None
        length = LENGTH.search(head)
        self.length = int(length[1]) if length else 0
        body = bytes(self._memory[start:])
        if CHUNKED.search(head):
            self.length = 0
            self._chunks = ChunkedReceiver(self._counter)
        elif self.length > (MOST_BODY if KNOWN.search(head) else MOST_OF_STRANGERS):
            self.is_complete = True  # refused unread
            return
        elif self.is_large:
            self._move_to_file()
        self._missing = self.length
        self._follow(body)

    def _follow(self, body: bytes) -> None:
        """Note further bytes of the body."""
        if self._chunks is None:
            self._missing -= min(len(body), self._missing)
            self.is_complete = self._missing == 0
        else:
            self._chunks.received(body)
            too_large = self._counter.size > MOST_BODY
            self.is_complete = bool(self._chunks.completed or self._chunks.error or too_large)
        if self.is_complete and self.file is not None:
            self.file.seek(0)

    def _keep(self, data: bytes) -> None:
        if self.file is not None:
            self.file.write(data)
            return
        self._memory += data
        if len(self._memory) > MOST_SMALL + MOST_HEAD:
            self._move_to_file()

    def _move_to_file(self) -> None:
        self.file = TemporaryFile()  # noqa: SIM115 - closed with the request
        self.file.write(self._memory)
        self._memory.clear()
