"""The zygote, at the other end of a socket."""

import json
import os
import signal
import socket
import tempfile
from contextlib import suppress
from time import monotonic
from typing import Any

from leaderboard.rules.import_paths import contains
from leaderboard.sandbox.contract import SandboxError, SandboxSettings
from leaderboard.sandbox.host import fork_servers
from leaderboard.sandbox.host.fork_servers import PROJECT
from leaderboard.sandbox.host.pipes import (
    END_SECONDS,
    START_SECONDS,
    Child,
    ZygoteDied,
    wait_readable,
)
from leaderboard.sandbox.host.views import View

LEASE_MS = 2000
"""How long a child that nobody speaks of lives, if nothing else is asked for."""


class ZygoteClient:
    """Has a zygote forked of its fork server, and asks it for children."""

    def __init__(self, settings: SandboxSettings, view: View) -> None:
        self.settings = settings
        self.count = 0
        self._unread = b""
        order = self._order(view)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self.control, theirs = socket.socketpair()
        self._fork_server = fork_servers.borrow(settings.preload)
        try:
            with theirs:
                self.pid = self._fork_server.fork(order, theirs.fileno(), self._errors.fileno())
        except SandboxError:
            self.control.close()
            fork_servers.give_back(self._fork_server)
            raise
        self._expect("ready", START_SECONDS)

    def _order(self, view: View) -> dict[str, Any]:
        return {
            "project": PROJECT,
            "packages": view.packages,
            "modules": view.modules,
            "places": view.places,
            "path": [_absolute(folder) for folder in self.settings.path],
            "hard": self.settings.isolation != "off",
            "limits": vars(self.settings.limits),
            "shown": [_absolute(path) for path in self.settings.shown],
            "models": [_absolute(folder) for folder in self.settings.models],
            "work": self.settings.work,
        }

    def spawn(
        self, job: bytes, cpu_seconds: int, program: str | None = None, *, lease_ms: int = LEASE_MS
    ) -> Child:
        """A new child with its rights off and a job, a line of JSON. Raises ZygoteDied.

        program: the folder of the one program that it may start, if any. lease_ms: how long it
        lives when nobody speaks of it.
        """
        self.count += 1
        requests, answers, output = os.pipe(), os.pipe(), os.pipe()
        theirs = [requests[0], answers[1], output[1]]
        spawn = {"spawn": self.count, "cpu": cpu_seconds, "program": program, "lease": lease_ms}
        order = json.dumps(spawn).encode() + b"\n"
        child = Child(self, self.count, requests[1], answers[0], output[0])
        try:
            socket.send_fds(self.control, [order], theirs)
        except OSError:
            child.close()
            raise ZygoteDied from None
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        return child.begin(job)

    def order(self, verb: str, number: int) -> None:
        """Tell the zygote to keep or to end a child. Raises ZygoteDied."""
        try:
            self.control.sendall(b'{"%s": %d}\n' % (verb.encode(), number))
        except OSError:
            raise ZygoteDied from None

    def read_message(self) -> dict[str, Any] | None:
        """A message if a whole one has come; call when the socket is readable or may be."""
        if b"\n" not in self._unread:
            try:
                text = self.control.recv(4096, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return None
            except OSError:
                text = b""
            if not text:
                raise ZygoteDied
            self._unread += text
        line, newline, rest = self._unread.partition(b"\n")
        if not newline:
            return None
        self._unread = rest
        message: dict[str, Any] = json.loads(line)
        return message

    def _expect(self, word: str, seconds: float) -> None:
        deadline = monotonic() + seconds
        try:
            while (message := self.read_message()) is None and monotonic() < deadline:
                wait_readable(self.control.fileno(), deadline)
        except ZygoteDied:
            message = None
        if message is None or word not in message:
            self.close()
            words = fork_servers.last_words(self._errors)
            raise SandboxError(f"the scorer process does not start: {words}")

    def close(self) -> None:
        """End the zygote and everything that it started; returns when it is gone."""
        if self.control.fileno() < 0:
            return
        with suppress(OSError):
            self.control.shutdown(socket.SHUT_WR)
        if not self._is_gone(END_SECONDS):
            self.kill()
            self._is_gone(END_SECONDS)
        self.control.close()
        fork_servers.give_back(self._fork_server)

    def kill(self) -> None:
        """End it at once, and with it whatever it has started."""
        with suppress(ProcessLookupError, PermissionError):  # the starter's is another user's
            os.kill(self.pid, signal.SIGKILL)

    def _is_gone(self, seconds: float) -> bool:
        """Whether nobody holds the other end of the socket any more, within so many seconds."""
        deadline = monotonic() + seconds
        while monotonic() < deadline:
            wait_readable(self.control.fileno(), deadline)
            try:
                if not self.control.recv(4096, socket.MSG_DONTWAIT):
                    return True
            except BlockingIOError:
                continue
            except OSError:
                return True
        return False

    def forget(self) -> None:
        """Let go of a zygote that belongs to the process this one was forked from."""
        self.control.close()


def _absolute(folder: str) -> str:
    """A place that plugins see; refused if it would show the application itself to them."""
    path = os.path.abspath(folder)
    if not os.path.exists(path):
        raise SandboxError(f"there is no folder {folder}")
    if contains(path, PROJECT):
        raise SandboxError(f"{folder} holds the application itself and may not be shown to scorers")
    return path
