"""Applies all layers in their order: some once in the zygote, the others in each child."""

import fcntl
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from leaderboard.sandbox.contract import (
    CAPABILITIES,
    CGROUP,
    DESCRIPTORS,
    ENVIRONMENT,
    GROUP,
    LANDLOCK,
    MOUNTS,
    NO_NEW_PRIVILEGES,
    PROCESSES,
    RLIMITS,
    ROOT,
    SECCOMP,
    SUBREAPER,
    USER,
    USERS,
    Limits,
)
from leaderboard.sandbox.server.folders import remove_tree
from leaderboard.sandbox.server.layers import (
    cgroups,
    family,
    landlock,
    linux,
    privileges,
    root,
    seccomp,
)
from leaderboard.sandbox.server.layers.linux import LayerRefused, is_linux
from leaderboard.sandbox.server.layers.namespaces import enter_namespaces, leave_mounts_and_ipc
from leaderboard.sandbox.server.layers.rlimits import apply_rlimits
from leaderboard.sandbox.server.places import DEVICES, LOADERS, interpreter_of, local_path

_ROOM_FOR_OTHERS = 512
_KERNEL_BYTES = 64 << 20
"""Bytes for a child's pipes, sockets and tables in the kernel, beside its own memory."""
_ABOVE_OTHERS = 200
"""The lowest number for the ruleset's descriptor, above those that a child replaces."""

_PLACES = "/app"

ALWAYS = (ENVIRONMENT, DESCRIPTORS, GROUP)


@dataclass
class Confinement:
    """The layers in force and those that the host refused, in the zygote and in its next child.

    `hard` is False for isolation `off`, which uses only what every POSIX system has. Children that
    run a program also see `program_paths`. Children may read `models` if the file modes allow it.
    `uid` is the user that a child becomes, None to stay the same. `work_parent` is the parent of
    working folders on hosts without a private root. `mounts` and `scratch` are the folders of a
    command: see `ZygoteOrder`.
    """

    limits: Limits
    readable: list[str]
    hard: bool
    program_paths: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    layers: set[str] = field(default_factory=lambda: set(ALWAYS))
    refused: dict[str, str] = field(default_factory=dict)
    uid: int | None = None
    other_threads: int = 0
    work_parent: str = ""
    mounts: Mapping[str, str] = field(default_factory=dict)
    scratch: Sequence[str] = ()
    ruleset: int | None = None
    group: int | None = None
    _foreseen: set[str] = field(default_factory=set)
    _refused_before: int = 0
    _ready: str = ""

    def attempt(self, layer: str, apply: Callable[[], None]) -> bool:
        """Apply a layer; records that it is in force, or why it is not."""
        try:
            apply()
        except LayerRefused as error:
            self.refused[layer] = str(error)
            self.layers.discard(layer)
            return False
        self.layers.add(layer)
        return True

    # In the zygote, once.

    def enter_world(self) -> None:
        """Enter namespaces; the pid namespace takes effect from the next fork on."""
        if not is_linux():
            self.refused["all but rlimits"] = "they need Linux"
            self.hard = False
        self.other_threads = family.count_threads(os.getuid())
        if self.hard:
            self._make_group()
            entered, refused = enter_namespaces()
            self.layers |= entered
            self.refused |= refused

    def _make_group(self) -> None:
        """Make a cgroup if the host allows it; without one, the limits of processes suffice."""
        limits = self.limits
        memory = limits.memory_bytes + limits.file_bytes + _KERNEL_BYTES
        with suppress(LayerRefused):
            self.group = cgroups.prepare(memory, limits.threads)
            self.layers.add(CGROUP)

    def furnish_world(self, slot: int) -> None:
        """Build the private root and choose the children's user; runs in their future parent."""
        if is_linux() and PROCESSES not in self.layers:
            self.attempt(SUBREAPER, family.adopt_orphans)
        if self.hard:
            self._furnish(slot)
        self._prepare()

    def _furnish(self, slot: int) -> None:
        if MOUNTS in self.layers:
            self.attempt(ROOT, self._build_root)
        if os.geteuid() == 0 and USERS not in self.layers:
            self._choose_user(privileges.uid_for(slot))
        privileges.shrink_bounding_set()

    def _build_root(self) -> None:
        readable = [*self.readable, *self.program_paths, *self.models]
        self.scratch = root.build_root(readable, self.mounts, self.scratch)

    def _prepare(self) -> None:
        """Do once what all children have in common.

        Each page of memory that a child writes to is copied, and these copies are most of the cost
        of a child.
        """
        os.umask(0o077)
        tempfile.tempdir = None  # so that a plugin finds its own temporary folder
        if ROOT in self.layers:
            os.environ.update(HOME=root.WORK, TMPDIR=root.WORK)
        if self.hard:
            linux.prepare()
            seccomp.prepare()
            self.attempt(NO_NEW_PRIVILEGES, privileges.forbid_new_privileges)
            if ROOT in self.layers:
                self.attempt(LANDLOCK, self._make_ruleset)
        own = {RLIMITS} | ({USER} if self.uid is not None else set())
        own |= {CAPABILITIES, LANDLOCK, SECCOMP} if self.hard else set()
        self._foreseen, self._refused_before = self.layers | own, len(self.refused)
        self._ready = self._as_line(self._foreseen)

    def _make_ruleset(self) -> None:
        """Make one ruleset for all children in the private root.

        This is possible because they mount their working folders at the same path.
        """
        made = landlock.make_ruleset(*self._open_to(os.path.dirname(root.WORK)))
        self.ruleset = fcntl.fcntl(made, fcntl.F_DUPFD_CLOEXEC, _ABOVE_OTHERS)
        os.close(made)

    def _open_to(self, work: str) -> tuple[list[str], list[str]]:
        """The paths that a child that runs no program may read, and those that it may write."""
        return [*self.readable, *self.models, *DEVICES], [work, "/dev/null"]

    def _choose_user(self, uid: int) -> None:
        """Use another user for children, if a trial fork can become it and use all it needs."""
        work = "" if ROOT in self.layers else self.work_parent or tempfile.gettempdir()
        pid = os.fork()
        if pid == 0:
            os._exit(_can_live_as(uid, [*self.readable, *self.program_paths], work))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if status == 0:
            self.uid = uid
        elif status == _CANNOT_READ:
            self.refused[USER] = "another user cannot read this Python or the plugins"
        elif status == _CANNOT_WRITE:
            self.refused[USER] = "another user cannot make working folders in SCORER_WORK"
        else:
            self.refused[USER] = "the worker may not become another user"

    def make_work(self) -> str:
        """A new, empty working folder for the next child."""
        if ROOT in self.layers:
            return root.WORK
        with privileges.acting_as(self.uid):
            return tempfile.mkdtemp(prefix="podium-scorer-", dir=self.work_parent or None)

    def remove_work(self, folder: str, seconds: float) -> bool:
        """Remove a working folder for some seconds; False if it is not empty by then."""
        if folder == root.WORK:
            return True
        with privileges.acting_as(self.uid):
            return remove_tree(folder, seconds)

    # In a child, before the plugin.

    def join_group(self) -> None:
        """Join the cgroup. The first step, as later steps close the descriptor and hide files."""
        if self.group is not None:
            try:
                cgroups.join(self.group)
            except LayerRefused:
                self.layers.discard(CGROUP)

    def confine(self, work: str, cpu_seconds: int, program: str | None) -> None:
        """Drop this process's rights. The order matters: see each layer's file.

        program: the folder of a program that it may start, "" for this Python. This process then
        waits for the program, so only the process that becomes the program gets the filter of
        system calls.
        """
        if ROOT in self.layers:
            leave_mounts_and_ipc(self.layers)
            owner = os.geteuid() if self.uid is None else self.uid
            root.mount_work(self.limits.file_bytes, self.limits.files, owner)
            root.mount_scratch(self.scratch, owner)
        else:
            os.environ.update(HOME=work, TMPDIR=work)
        if self.uid is not None:
            uid = self.uid
            self.attempt(USER, lambda: privileges.become_user(uid))
        os.chdir(work)
        self.attempt(RLIMITS, lambda: self._limit(cpu_seconds))
        family.die_with_parent()  # after setresuid, which clears it; the filter makes it permanent
        if self.hard:
            self.attempt(CAPABILITIES, privileges.drop_capabilities)
            self.attempt(NO_NEW_PRIVILEGES, privileges.forbid_new_privileges)
            if program is None and self.ruleset is not None:
                ruleset = self.ruleset
                self.attempt(LANDLOCK, lambda: landlock.restrict_to(ruleset))
                os.close(ruleset)
            else:
                self.attempt(LANDLOCK, lambda: self._restrict_files(work, program))
            if program is None:
                self.attempt(SECCOMP, seccomp.install_filter)

    def ready_line(self) -> str:
        """The line that tells the worker which layers are in force.

        Usually they are as the zygote predicted, and its prepared line is used.
        """
        if self.layers == self._foreseen and not self._is_new_refused():
            return self._ready
        return self._as_line(self.layers)

    def _is_new_refused(self) -> bool:
        return len(self.refused) != self._refused_before

    def _as_line(self, layers: set[str]) -> str:
        return json.dumps({"layers": sorted(layers), "refused": self.refused})

    def _limit(self, cpu_seconds: int) -> None:
        limits = self.limits
        apply_rlimits(
            memory=limits.memory_bytes,
            file=limits.file_bytes,
            open_files=limits.open_files,
            threads=limits.threads + self._shared_threads(),
            cpu_seconds=cpu_seconds,
        )

    def _shared_threads(self) -> int:
        """The number of threads that the limit must allow for other processes of this user.

        RLIMIT_NPROC counts all threads of a user. 0 if the child has a user of its own.
        """
        alone = self.uid is not None or USERS in self.layers
        return 0 if alone else self.other_threads + _ROOM_FOR_OTHERS

    def _restrict_files(self, work: str, program: str | None) -> None:
        readable, writable = self._open_to(work)
        if program is None:
            landlock.restrict_files(readable, writable)
        else:
            program = local_path(program, self.mounts, work)
            python = os.path.realpath(interpreter_of(program))
            # The folder above all places, so that a program can list them.
            places = [_PLACES] if work == root.WORK else self.mounts.values()
            landlock.restrict_files(
                [*readable, *places, *([program] if program else []), python],
                [*writable, *(self.scratch if work == root.WORK else ())],
                [python, *LOADERS],
            )


_CANNOT_READ, _CANNOT_BECOME, _CANNOT_WRITE = 3, 4, 5


def _can_live_as(uid: int, readable: list[str], work: str) -> int:
    """An exit code: 0 if this process can become the user, read all of it and write to `work`."""
    try:
        privileges.become_user(uid)
    except LayerRefused:
        return _CANNOT_BECOME
    if work and not os.access(work, os.W_OK | os.X_OK):
        return _CANNOT_WRITE
    needed = [os.path.dirname(os.__file__), *readable]
    return 0 if all(os.access(path, os.R_OK) for path in needed) else _CANNOT_READ
