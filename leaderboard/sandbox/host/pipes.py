"""The pipes of one child, from its start to its end."""

from __future__ import annotations

import fcntl
import json
import os
import select
import socket
from collections import deque
from contextlib import suppress
from time import monotonic
from typing import Protocol

from leaderboard.sandbox.contract import HostOverfull, SandboxError, SandboxSettings
from leaderboard.sandbox.host.kernel import oom_kills, was_host_overfull
from leaderboard.sandbox.jobs import ChildEnded, ZygoteMessage

MAX_ANSWER_BYTES = 256 * 1024
REQUEST_BYTES = 512 * 1024
START_SECONDS = 30.0
END_SECONDS = 5.0
KEEP_SECONDS = 0.5
_CHUNK = 256 * 1024
_LAST_READS = 64
_FURTHER_BYTES = 8 * 1024
_NOTHING = memoryview(b"")


class ZygoteDied(Exception):
    """The zygote has ended; the current request did not cause this."""


class DeadlineExceeded(Exception):
    """No answer came before the deadline."""


class ChildExited(Exception):
    """The child ended, or sent too long a line. `status` is like `subprocess.returncode`, or None.

    `unwanted`: the zygote ended it because its lease expired. `overfull`: the kernel killed it
    because the host had no memory left.
    """

    def __init__(
        self, status: int | None, *, unwanted: bool = False, overfull: bool = False
    ) -> None:
        super().__init__(status)
        self.status = status
        self.unwanted = unwanted
        self.overfull = overfull

    @property
    def is_of_host(self) -> bool:
        """Whether the host ended it, for want of memory or of time to renew its lease."""
        return self.unwanted or self.overfull


class ZygoteOrders(Protocol):
    """The client of a zygote, as far as a child's pipes need it."""

    settings: SandboxSettings
    control: socket.socket

    def order(self, verb: str, number: int) -> None: ...

    def read_message(self) -> ZygoteMessage | None: ...


class Child:
    """One child's pipes. Ask with `send`, read with `next_line`, and always call `end`."""

    def __init__(
        self, zygote: ZygoteOrders, number: int, requests: int, answers: int, output: int
    ) -> None:
        self.zygote = zygote
        self.number = number
        self.layers: frozenset[str] = frozenset()
        self.refused: dict[str, str] = {}
        self._born = self._kept = self.heard = monotonic()
        self._kills = oom_kills()
        self.max_answer_bytes = MAX_ANSWER_BYTES
        self.survived = False
        self.printed = self._further = b""
        self._requests, self._answers, self._output = requests, answers, output
        self._unsent = _NOTHING
        self._lines: deque[bytes] = deque()
        self._unread: list[bytes] = []
        self._unread_bytes = 0
        self._ended: ChildEnded | None = None
        self._quiet = False
        self._poll = select.poll()
        for descriptor in (answers, output, zygote.control.fileno()):
            os.set_blocking(descriptor, descriptor == zygote.control.fileno())
            self._poll.register(descriptor, select.POLLIN)
        os.set_blocking(requests, False)

    def begin(self, job: bytes) -> Child:
        """Wait until the child has dropped its rights, then send its job and start its clock.

        Raises SandboxError, ZygoteDied.
        """
        try:
            ready = json.loads(self.next_line(START_SECONDS))
        except (DeadlineExceeded, ChildExited) as failed:
            self.end()
            if isinstance(failed, ChildExited) and failed.is_of_host:
                raise HostOverfull from None
            raise SandboxError(f"a scorer process ended too early: {self.last_output()}") from None
        except ZygoteDied:
            self.close()
            raise
        self.layers, self.refused = frozenset(ready["layers"]), ready["refused"]
        self.heard = monotonic()
        self.send(job)
        return self

    def widen(self) -> None:
        """Enlarge the pipe so that it holds a whole request, if the system allows it."""
        with suppress(AttributeError, OSError):
            fcntl.fcntl(self._requests, fcntl.F_SETPIPE_SZ, REQUEST_BYTES)

    def last_output(self) -> str:
        lines = self.printed.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "it says nothing"

    def send(self, text: bytes) -> None:
        """Queue text for the child; `next_line` writes what the pipe does not hold yet."""
        self._unsent = memoryview(bytes(self._unsent) + text if self._unsent else text)
        self._write()
        if self._unsent:
            self._poll.register(self._requests, select.POLLOUT)

    def _write(self) -> None:
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(self._requests, self._unsent) :]
            self._unsent = _NOTHING
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent = _NOTHING

    def age(self) -> float:
        """Seconds since the child was requested."""
        return monotonic() - self._born

    def keep(self) -> None:
        """Renew the child's lease, at most every KEEP_SECONDS."""
        now = monotonic()
        if now - self._kept > KEEP_SECONDS:
            self._kept = now
            self.zygote.order("keep", self.number)

    def next_line(self, seconds: float) -> bytes:
        """The next answer.

        Raises DeadlineExceeded if none came within `seconds` of the previous one (or of the start),
        ChildExited if the child has ended, ZygoteDied.
        """
        if not self._lines:
            deadline = self.heard + seconds
            while not self._lines:
                self.keep()
                self._wait(deadline)
            self.heard = monotonic()
        return self._lines.popleft()

    def _wait(self, deadline: float) -> None:
        patience = deadline - monotonic()
        happened = self._poll.poll(max(0.0, min(patience, KEEP_SECONDS)) * 1000)
        if not happened and patience <= KEEP_SECONDS:
            raise DeadlineExceeded
        heard = False
        for descriptor, _ in happened:
            if descriptor == self._answers:
                heard = self._read_answers()
            elif descriptor == self._output:
                self._read_output()
            elif descriptor == self._requests:
                self._write()
                if not self._unsent:
                    self._poll.unregister(self._requests)
            else:
                self._notice(self.zygote.read_message())
        if not self._lines and (self._quiet or self._ended is not None):
            self._last_answers()
        if not self._lines and patience <= (-END_SECONDS if heard else 0.0):
            # A child that writes without end gets END_SECONDS to finish its answer.
            raise DeadlineExceeded

    def _read_answers(self) -> bool:
        """Read the answers that have arrived; False if there are none."""
        try:
            text = os.read(self._answers, _CHUNK)
        except BlockingIOError:
            return False
        if not text:
            self._poll.unregister(self._answers)
            self._quiet = True
            return False
        first, *more = text.split(b"\n")
        self._keep_answer(first)
        for part in more:
            self._lines.append(b"".join(self._unread))
            self._unread, self._unread_bytes = [], 0
            self._keep_answer(part)
        return True

    def _keep_answer(self, part: bytes) -> None:
        """Keep a part of a line. A long answer arrives in many parts, which are joined once."""
        self._unread.append(part)
        self._unread_bytes += len(part)
        if self._unread_bytes > self.max_answer_bytes:
            raise ChildExited(None)

    def _last_answers(self) -> None:
        """Read the last answers of a child that ended or closed its pipe.

        Raises ChildExited if there are none.
        """
        while not self._quiet and self._read_answers():
            pass
        if not self._lines:
            ended = self._finish()
            overfull = was_host_overfull(ended["status"], self.layers, self._kills)
            raise ChildExited(ended["status"], unwanted=ended["unwanted"], overfull=overfull)

    def _read_output(self) -> None:
        text = os.read(self._output, _CHUNK)
        if not text:
            self._poll.unregister(self._output)
        self._keep(text)

    def _keep(self, text: bytes) -> None:
        room = self.zygote.settings.limits.output_bytes - len(self.printed)
        self.printed += text[: max(room, 0)]
        if len(text) > room:
            self._further = (self._further + text[max(room, 0) :])[-_FURTHER_BYTES:]

    def printed_with_end(self) -> bytes:
        """What the child printed; of more than the limit, the beginning and the end."""
        return self.printed + (b"\n[...]\n" + self._further if self._further else b"")

    def _notice(self, message: ZygoteMessage | None) -> None:
        if message is not None and "ended" in message and message["ended"] == self.number:
            self._ended = message

    def _finish(self) -> ChildEnded:
        """End the child and wait until the zygote has ended everything it started.

        Raises ZygoteDied.
        """
        if self._ended is None:
            self.zygote.order("end", self.number)
        deadline = monotonic() + END_SECONDS
        while self._ended is None:
            wait_readable(self.zygote.control.fileno(), deadline)
            self._notice(self.zygote.read_message())
            if self._ended is None and monotonic() > deadline:
                raise ZygoteDied
        return self._ended

    def end(self) -> int | None:
        """End the child and close its pipes; returns its status. May be called again."""
        if self._requests < 0:
            return None
        try:
            return self._drained(self._finish()["status"])
        finally:
            self.close()

    def _drained(self, status: int | None) -> int | None:
        """Read the rest of the output. If it does not end, another process has the pipe open."""
        for _ in range(_LAST_READS):
            try:
                text = os.read(self._output, _CHUNK)
            except BlockingIOError:
                break
            if not text:
                return status
            self._keep(text)
        self.survived = True
        return status

    def close(self) -> None:
        if self._requests >= 0:
            for descriptor in (self._requests, self._answers, self._output):
                os.close(descriptor)
            self._requests = -1


def wait_readable(descriptor: int, deadline: float) -> None:
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    waiting.poll(max(0.0, deadline - monotonic()) * 1000)
