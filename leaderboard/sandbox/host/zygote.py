"""The worker's client of one zygote, over a socket."""

import json
import os
import signal
import socket
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from time import monotonic

from leaderboard.rules.plugins.import_paths import contains
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
from leaderboard.sandbox.jobs import SpawnOrder, ZygoteMessage, ZygoteOrder

LEASE_MS = 2000
"""How long a child lives, by default, if no order of the worker names it."""


_NO_MOUNTS: Mapping[str, str] = {}


class ZygoteClient:
    """Lets the fork server fork a zygote, and asks the zygote for children."""

    def __init__(
        self,
        settings: SandboxSettings,
        view: View,
        mounts: Mapping[str, str] = _NO_MOUNTS,
        scratch: Sequence[str] = (),
    ) -> None:
        """mounts, scratch: the folders of a command, see `ZygoteOrder`."""
        self.settings = settings
        self._mounts, self._scratch = mounts, scratch
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
        self._expect_ready()

    def _order(self, view: View) -> ZygoteOrder:
        return {
            "project": PROJECT,
            "packages": view.packages,
            "modules": view.modules,
            "places": view.places,
            "path": [*_folders_seen(self.settings.path, view), *view.uploads],
            "hard": self.settings.isolation != "off",
            "limits": vars(self.settings.limits),
            "program_paths": [_absolute(path) for path in self.settings.program_paths],
            "models": [_absolute(folder) for folder in self.settings.models],
            "work": self.settings.work,
            "mounts": {place: _absolute(path) for place, path in self._mounts.items()},
            "scratch": self._scratch,
        }

    def spawn(
        self, job: bytes, cpu_seconds: int, program: str | None = None, *, lease_ms: int = LEASE_MS
    ) -> Child:
        """Start a child without rights and send it a job, a line of JSON. Raises ZygoteDied.

        program: the folder of the one program that it may start, if any. lease_ms: how long it
        lives if no order names it.
        """
        self.count += 1
        requests, answers, output = os.pipe(), os.pipe(), os.pipe()
        theirs = [requests[0], answers[1], output[1]]
        spawn: SpawnOrder
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

    def read_message(self) -> ZygoteMessage | None:
        """The next message if it has arrived completely, else None. Does not wait."""
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
        message: ZygoteMessage = json.loads(line)
        return message

    def _expect_ready(self) -> None:
        deadline = monotonic() + START_SECONDS
        try:
            while (message := self.read_message()) is None and monotonic() < deadline:
                wait_readable(self.control.fileno(), deadline)
        except ZygoteDied:
            message = None
        if message is None or "ready" not in message:
            self.close()
            words = fork_servers.last_output(self._errors)
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
        """Kill the zygote; everything that it started ends with it."""
        with suppress(ProcessLookupError, PermissionError):  # root owns zygotes of `starter.py`
            os.kill(self.pid, signal.SIGKILL)

    def _is_gone(self, seconds: float) -> bool:
        """Whether the other end of the socket is closed within this many seconds."""
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
        """Drop a zygote that belongs to the process this one was forked from."""
        self.control.close()


def _folders_seen(path: Iterable[str], view: View) -> list[str]:
    """The folders of SCORER_PATH in which children see something; others may be other tenants'.

    Raises SandboxError for a folder that cannot be used, also if children see nothing of it.
    """
    folders = [_plugin_folder(folder) for folder in path]
    visible_folders = {folder for _, folder in view.modules} | {*map(os.path.dirname, view.places)}
    return [folder for folder in folders if folder in visible_folders]


def _plugin_folder(folder: str) -> str:
    """The absolute path of a folder of SCORER_PATH. Raises SandboxError, also for a file."""
    path = _absolute(folder)
    if not os.path.isdir(path):
        accepted = "existing folders; unpack archives such as eggs and wheels"
        raise SandboxError(f"SCORER_PATH: {folder} is a file. Accepted: {accepted}")
    return path


def _absolute(folder: str) -> str:
    """The absolute path of a folder that plugins may see.

    Raises SandboxError if it does not exist or contains the application itself.
    """
    path = os.path.abspath(folder)
    if not os.path.exists(path):
        raise SandboxError(f"there is no folder {folder}")
    if contains(path, PROJECT):
        raise SandboxError(f"{folder} holds the application itself and may not be shown to scorers")
    return path
