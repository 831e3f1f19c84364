"""In the worker: the zygote, at the other end of a socket."""

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic
from typing import Any

from leaderboard.sandbox.contract import SandboxError, SandboxSettings
from leaderboard.sandbox.pipes import (
    END_SECONDS,
    START_SECONDS,
    Child,
    ZygoteDied,
    wait_readable,
)
from leaderboard.sandbox.places import contains

LEASE_MS = 2000
"""How long a child that nobody speaks of lives, if nothing else is asked for."""

PROJECT = str(Path(__file__).resolve().parents[2])

_THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "MALLOC_ARENA_MAX": "2",
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    **{f"{library}_NUM_THREADS": "1" for library in _THREADS},
}
"""All that a child finds in its environment, beside HOME and TMPDIR: its working folder."""

_START = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    "from leaderboard.sandbox.zygote import main; main(sys.argv[2])"
)
_COMMAND = (sys.executable, "-I", "-B", "-u", "-c", _START)


class Zygote:
    """Starts the clean interpreter and asks it for children."""

    def __init__(self, settings: SandboxSettings) -> None:
        self.settings = settings
        self.count = 0
        self._unread = b""
        order = self._order()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self.control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [*_COMMAND, PROJECT, json.dumps(order | {"control": theirs.fileno()})],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                env=ENVIRONMENT,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._expect("ready", START_SECONDS)

    def _order(self) -> dict[str, Any]:
        return {
            "project": PROJECT,
            "packages": self.settings.packages,
            "path": [_absolute(folder) for folder in self.settings.path],
            "preload": self.settings.preload,
            "hard": self.settings.isolation != "off",
            "limits": vars(self.settings.limits),
            "shown": [_absolute(path) for path in self.settings.shown],
            "models": [_absolute(folder) for folder in self.settings.models],
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
            raise SandboxError(f"the scorer process does not start: {self._last_words()}")

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read(65536).decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "it says nothing"

    def close(self) -> None:
        """End the zygote and everything that it started; returns when it is gone."""
        self.control.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def forget(self) -> None:
        """Let go of a zygote that belongs to the process this one was forked from."""
        self.control.close()
        self._process.returncode = 0


def _absolute(folder: str) -> str:
    """A place that plugins see; refused if it would show the application itself to them."""
    path = os.path.abspath(folder)
    if not os.path.exists(path):
        raise SandboxError(f"there is no folder {folder}")
    if contains(path, PROJECT):
        raise SandboxError(f"{folder} holds the application itself and may not be shown to scorers")
    return path
