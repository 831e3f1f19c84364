"""Fork servers, one for each set of libraries. Each runs as long as a zygote needs it."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from leaderboard.sandbox.contract import SandboxError
from leaderboard.sandbox.host.pipes import END_SECONDS, START_SECONDS
from leaderboard.sandbox.jobs import ZygoteOrder

PROJECT = str(Path(__file__).resolve().parents[3])

_THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "MALLOC_ARENA_MAX": "2",
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "JOBLIB_MULTIPROCESSING": "0",
    **{f"{library}_NUM_THREADS": "1" for library in _THREADS},
}
"""The environment of a child, beside HOME and TMPDIR, which name its working folder."""

STARTER = "PODIUM_STARTER"
"""The environment variable with the number of a socket to `starter.py`, if this process has one."""

_START = """
import os, sys
register, os.register_at_fork = os.register_at_fork, lambda **calls: None
sys.path.insert(0, sys.argv[1])
from leaderboard.sandbox.fork_server import main
os.register_at_fork = register
main(sys.argv[2])
"""
"""The program of a fork server. It keeps `threading`, `random` and this package from registering
functions that run after a fork. Most of these repair locks that other threads held. A fork server
has no other threads, and in each child these calls would copy a hundred pages of memory. The zygote
seeds `random` itself. Libraries that are imported later may register functions."""

COMMAND = (sys.executable, "-I", "-B", "-u", "-c", _START)


class _Elsewhere:
    """A fork server that `starter.py` started. It is no child of this process, but has a socket."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """None while it runs; 1 when its end of the socket is closed."""
        readable = select.poll()
        try:
            # A socket with a time limit would wait for it, even with MSG_DONTWAIT.
            readable.register(self._control, select.POLLIN)
            if not readable.poll(0):
                return None
            return None if self._control.recv(1, socket.MSG_PEEK) else 1
        except (OSError, ValueError):  # ValueError: it is closed at this end
            return 1

    def kill(self) -> None:
        """End it by shutting its socket down."""
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)

    def wait(self, timeout: float | None = None) -> int:
        """Return at once: the starter is its parent and waits for its end."""
        return 0


class ForkServer:
    """Starts a fork server and asks it for zygotes, from any thread."""

    def __init__(self, preload: Sequence[str]) -> None:
        self.preload = tuple(preload)
        self.users = 0
        self._one_at_a_time = threading.Lock()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._control, theirs = socket.socketpair()
        self._control.settimeout(START_SECONDS)
        with theirs:
            self._process = self._start(theirs.fileno())

    def _start(self, control: int) -> subprocess.Popen[bytes] | _Elsewhere:
        """Start a fork server. `starter.py` does it if it runs, so children can change user."""
        if starter := os.environ.get(STARTER):
            order = [json.dumps(self.preload).encode()]
            with socket.socket(fileno=os.dup(int(starter))) as asking:
                socket.send_fds(asking, order, [control, self._errors.fileno()])
            return _Elsewhere(self._control)
        return subprocess.Popen(
            [*COMMAND, PROJECT, json.dumps({"control": control, "preload": self.preload})],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            env=ENVIRONMENT,
            pass_fds=[control],
            start_new_session=True,
        )

    def fork(self, order: ZygoteOrder, control: int, errors: int) -> int:
        """Fork a zygote with these descriptors; returns its process id. Raises SandboxError."""
        text = json.dumps(order).encode() + b"\n"
        try:
            with self._one_at_a_time:
                sent = socket.send_fds(self._control, [text], [control, errors])
                self._control.sendall(text[sent:])
                return int(self._answer())
        except (OSError, ValueError):
            self._process.kill()  # A late answer would be taken for the next request's.
            words = last_output(self._errors)
            raise SandboxError(f"the scorer process does not start: {words}") from None

    def _answer(self) -> bytes:
        answer = b""
        while not answer.endswith(b"\n"):
            more = self._control.recv(64)
            if not more:
                raise ConnectionError
            answer += more
        return answer

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        """End the fork server and wait for it. End its zygotes first."""
        self._control.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def forget(self) -> None:
        """Drop a fork server that belongs to the process this one was forked from."""
        self._control.close()
        self._process.returncode = 0


_fork_servers: dict[tuple[str, ...], ForkServer] = {}
_lock = threading.Lock()


def borrow(preload: Sequence[str]) -> ForkServer:
    """A fork server that has imported these libraries. Return it with `give_back`."""
    with _lock:
        server = _fork_servers.get(tuple(preload))
        if server is None or not server.is_alive():
            server = _fork_servers[tuple(preload)] = ForkServer(preload)
        server.users += 1
        return server


def give_back(server: ForkServer) -> None:
    """Return a borrowed fork server; ends it after its last user."""
    with _lock:
        server.users -= 1
        if server.users:
            return
        if _fork_servers.get(server.preload) is server:
            del _fork_servers[server.preload]
    server.close()


def last_output(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read(65536).decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it says nothing"


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    for server in _fork_servers.values():
        server.forget()
    _fork_servers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
