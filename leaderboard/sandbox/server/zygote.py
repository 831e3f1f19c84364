"""The zygote: a fork of the fork server that forks one child after another.

It holds no secret, never runs plugin code, and answers one worker process over one socket:

    {"spawn": n, "cpu": seconds, "program": folder or null, "lease": milliseconds}
                                   with three descriptors: requests, answers, output
    {"end": n}                     kill child n and everything it has started
    {"keep": n}                    renew the lease of child n

For each `spawn` there is exactly one `{"ended": n, "status": code, "unwanted": bool}`, sent when
all processes of the child have ended. A child that no order names for the time of its lease is
unwanted and ended, so that nothing keeps running when the worker abandons a batch. When the worker
ends, the zygote and its child end too.
"""

import gc
import json
import os
import random
import select
import signal
import socket
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from importlib.machinery import PathFinder
from time import monotonic

from leaderboard.rules.plugins.import_paths import import_path
from leaderboard.sandbox.contract import PROCESSES, Limits
from leaderboard.sandbox.jobs import ChildOrder, ZygoteMessage, ZygoteOrder
from leaderboard.sandbox.server.children import Children, Live
from leaderboard.sandbox.server.confinement import Confinement
from leaderboard.sandbox.server.layers import family
from leaderboard.sandbox.server.layers.linux import is_linux
from leaderboard.sandbox.server.places import (
    PROCESSOR,
    PinnedDistributions,
    PinnedFolder,
    readable_places,
)


def main(order: ZygoteOrder, control: socket.socket, children: Children) -> None:
    """Run until the worker closes the socket. order: JSON written by `host/zygote.py`."""
    project, imported = order["project"], import_path(order["project"])
    pinned = _pinned({*order["path"], project} - {*imported}, order)
    inside = [place for pinned_folder in pinned.values() for place in pinned_folder.places()]
    # Before the plugin folders are put on sys.path: of those, a child may read only its own places.
    readable = readable_places([*order["places"], *inside], project)
    sys.path[:] = dict.fromkeys([*order["path"], *imported, project])
    sys.path_importer_cache.update(pinned)
    distributions = PinnedDistributions(order["places"])
    sys.meta_path.insert(sys.meta_path.index(PathFinder), distributions)
    confinement = Confinement(
        Limits(**order["limits"]),
        readable,
        hard=order["hard"],
        program_paths=order["program_paths"],
        models=[*order["models"], *PROCESSOR] if order["models"] else [],
        work_parent=order["work"] or tempfile.gettempdir(),
        mounts=order["mounts"],
        scratch=order["scratch"],
    )
    children.find_plugins()
    gc.collect()
    # Before the first fork: a collection would write to every object, so none would stay shared.
    gc.freeze()
    _serve_within(confinement, control, children.live)


def _pinned(folders: Iterable[str], order: ZygoteOrder) -> dict[str, PinnedFolder]:
    """A finder for each of the folders, in which children may see only what the order names."""
    named = [*order["modules"], *((name, order["project"]) for name in order["packages"])]
    return {
        folder: PinnedFolder(folder, [name for name, place in named if place == folder])
        for folder in folders
    }


def _serve_within(confinement: Confinement, control: socket.socket, live: Live) -> None:
    slot = os.getpid()
    proc = os.open("/proc", os.O_RDONLY) if is_linux() else None
    confinement.enter_world()
    if PROCESSES in confinement.layers:
        _become_init()
    if proc is not None:
        family.go_first_when_memory_is_short(proc)  # its children inherit this
    confinement.furnish_world(slot)
    gc.freeze()
    Zygote(confinement, control, proc, live).serve()


def _become_init() -> None:
    """Continue as the first process of the new pid namespace; the old process waits for it."""
    pid = os.fork()
    if pid == 0:
        family.die_with_parent()
        return
    os.waitpid(pid, 0)
    os._exit(0)  # This closes the last copy of `control`, so the worker learns of the end.


REMOVE_SECONDS = 1.0
"""How long the end of a child may wait for the removal of its working folder."""
LEAVE_SECONDS = 60.0
"""How long a zygote whose worker has ended goes on to remove a working folder."""
LOOK_MS = 20.0
"""How often a zygote looks at the page tables of its child, which fills some 40 MiB in between."""
MAX_PAGE_TABLE_BYTES = 64 << 20
"""No limit of the kernel counts page tables. A child that uses all of its addresses needs 1/512 of
them; one that spreads single pages over a whole address space, more than their contents."""


class Zygote:
    """Forks, watches and ends one child at a time."""

    def __init__(
        self, confinement: Confinement, control: socket.socket, proc: int | None, live: Live
    ) -> None:
        self.confinement = confinement
        self.control = control
        self.proc = proc
        self.live = live
        self.is_init = PROCESSES in confinement.layers
        self.number = 0
        self.pid = 0
        self.lease_ms = 0
        self.heard = 0.0
        self.work = ""
        self.unremoved: list[str] = []
        self.unread = b""
        self.received: list[int] = []

    def serve(self) -> None:
        """Answer orders until the worker has ended."""
        wakeup, signalled = os.pipe()
        os.set_blocking(wakeup, False)
        os.set_blocking(signalled, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(signalled, warn_on_full_buffer=False)
        self._send({"ready": True})
        watched = select.poll()
        watched.register(self.control, select.POLLIN)
        watched.register(wakeup, select.POLLIN)
        while True:
            happened = dict(watched.poll(self._patience_ms()))
            if happened:
                self.heard = monotonic()
            if wakeup in happened:
                with suppress(BlockingIOError):
                    os.read(wakeup, 4096)
            self._notice_exit()
            if not happened and self.pid:
                self._look()
            elif not happened:
                self._remove(LOOK_MS / 1000)
            if self.control.fileno() in happened and not self._read_orders():
                return self._leave()

    def _read_orders(self) -> bool:
        """Follow the orders that have arrived; False if the worker has ended."""
        try:
            text, descriptors, _, _ = socket.recv_fds(self.control, 4096, 3)
        except ConnectionError:
            return False
        self.received += descriptors
        *lines, self.unread = (self.unread + text).split(b"\n")
        for line in lines:
            self._follow(json.loads(line))
        return bool(text)

    def _follow(self, order: ChildOrder) -> None:
        if "spawn" in order:
            self.lease_ms = order["lease"]
            self._spawn(order["spawn"], order["cpu"], order["program"])
        elif self.pid and "end" in order and order["end"] == self.number:
            self._end()

    def _spawn(self, number: int, cpu_seconds: int, program: str | None) -> None:
        pipes, self.received = self.received[:3], self.received[3:]
        self.number = number
        self.work = self.confinement.make_work()
        random.seed()  # for the child: see `host/fork_servers.py`
        self.pid = os.fork()
        if self.pid == 0:
            self.live(self.confinement, self.work, pipes, cpu_seconds, program)
        for descriptor in pipes:
            os.close(descriptor)

    def _patience_ms(self) -> float | None:
        if self.pid:
            return min(self._lease_left_ms(), LOOK_MS)
        return 0.0 if self.unremoved else None

    def _lease_left_ms(self) -> float:
        return max(0.0, self.lease_ms - (monotonic() - self.heard) * 1000)

    def _look(self) -> None:
        """End a child whose lease has expired, or whose page tables are too large."""
        if not self._lease_left_ms():
            self._end(unwanted=True)
        elif self.proc is not None and family.page_table_bytes(self.proc) > MAX_PAGE_TABLE_BYTES:
            self._end()

    def _notice_exit(self) -> None:
        """Reap ended processes: report the child if it ended by itself, ignore adopted orphans."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.pid:
                self._end(os.waitstatus_to_exitcode(status))

    def _end(self, status: int | None = None, *, unwanted: bool = False) -> None:
        """Kill the child and everything it has started, then report its end."""
        pid, self.pid = self.pid, 0
        status = self._kill_all(pid, status)
        self.unremoved.append(self.work)
        self._remove(REMOVE_SECONDS)
        self._send({"ended": self.number, "status": status, "unwanted": unwanted})

    def _remove(self, seconds: float) -> None:
        """Remove working folders for some seconds: a child may have made a million files.

        The rest is removed while no child runs, so that nobody waits for it.
        """
        if self.unremoved and self.confinement.remove_work(self.unremoved[0], seconds):
            del self.unremoved[0]

    def _kill_all(self, pid: int, status: int | None) -> int | None:
        while True:
            if self.is_init:
                family.kill_namespace()
            else:
                family.kill_group(pid, unreaped=status is None)
                if self.proc is not None:
                    family.kill_adopted(self.proc)
            try:
                ended, code = os.waitpid(-1, 0)
            except ChildProcessError:
                return status
            if ended == pid:
                status = os.waitstatus_to_exitcode(code)

    def _send(self, message: ZygoteMessage) -> None:
        with suppress(ConnectionError):
            self.control.sendall(json.dumps(message).encode() + b"\n")

    def _leave(self) -> None:
        if self.pid:
            self._end()
        for _ in self.unremoved.copy():
            self._remove(LEAVE_SECONDS)
