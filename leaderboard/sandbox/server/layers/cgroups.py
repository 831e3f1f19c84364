"""A cgroup (version 2) for children, whose memory the kernel limits as a whole.

Limits of a process bound its address space; a cgroup also counts files in memory and what the
kernel holds for its processes. It needs a part of the tree that this user owns, with room beside
the worker: under systemd, `Delegate=yes` and `DelegateSubgroup=` (version 254). Without a cgroup,
the other limits still apply. Only children are ever moved into another group.

See the kernel's Documentation/admin-guide/cgroup-v2.rst: "No Internal Process Constraint" and
"Delegation Containment".
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from leaderboard.sandbox.server.layers.linux import LayerRefused

MOUNT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
_OURS = "podium-plugins-"
_ABOVE_OTHERS = 200
"""The lowest number for the group's descriptor, above those that a child replaces."""


def prepare(memory: int, processes: int, *, mount: Path = MOUNT, own: Path = OWN) -> int:
    """Make a group with these limits (bytes, count); returns a descriptor for `join`.

    Raises LayerRefused if this user owns no part of the tree, or the kernel refuses.
    """
    try:
        parent = _delegated(mount, own)
        _remove_left_over(parent)
        return _make(parent, memory, processes)
    except OSError as error:
        raise LayerRefused(f"cgroup: {error.strerror}: {error.filename}") from None


def join(group: int) -> None:
    """Put this process into the group, and close the descriptor. Raises LayerRefused."""
    try:
        os.write(group, b"0")
    except OSError as error:
        raise LayerRefused(f"cgroup: {error.strerror}") from None
    finally:
        os.close(group)


def _delegated(mount: Path, own: Path) -> Path:
    """The parent of this process's group, in which groups may be made.

    Raises LayerRefused if another user owns it, it lacks the memory controller, or it contains
    processes itself.
    """
    paths = [line[3:] for line in own.read_text().splitlines() if line.startswith("0::/")]
    here = mount / paths[0].lstrip("/") if paths else mount
    parent = here.parent
    if here == mount or not (mount / "cgroup.controllers").exists():
        raise LayerRefused("cgroup: this process is in no group of version 2")
    if "memory" not in (parent / "cgroup.controllers").read_text().split():
        raise LayerRefused("cgroup: memory is not among the controllers")
    if (parent / "cgroup.procs").read_text().strip():
        raise LayerRefused("cgroup: the group above has processes of its own")
    for name in ("cgroup.procs", "cgroup.subtree_control", ""):
        if not os.access(parent / name, os.W_OK):
            raise LayerRefused("cgroup: the group above belongs to somebody else")
    return parent


def _remove_left_over(parent: Path) -> None:
    """Remove the groups of zygotes that have ended; the kernel refuses if a group has a process."""
    for group in parent.glob(f"{_OURS}*"):
        pid = group.name.removeprefix(_OURS)
        if not os.path.exists(f"/proc/{pid}"):
            with suppress(OSError):
                group.rmdir()


def _make(parent: Path, memory: int, processes: int) -> int:
    control = parent / "cgroup.subtree_control"
    for controller in ("memory", "pids"):
        with suppress(OSError):  # without the memory controller, writing its limit below fails
            if controller not in control.read_text().split():
                control.write_text(f"+{controller}")
    group = parent / f"{_OURS}{os.getpid()}"
    group.mkdir(exist_ok=True)
    _set(group / "memory.max", memory)
    for name, value in (("memory.swap.max", 0), ("memory.oom.group", 1), ("pids.max", processes)):
        with suppress(OSError):  # not on every kernel, and not with every controller
            _set(group / name, value)
    opened = os.open(group / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
    high = fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, _ABOVE_OTHERS)
    os.close(opened)
    return high


def _set(file: Path, value: int) -> None:
    """Write into an existing file of the kernel; never creates one. Raises OSError."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, str(value).encode())
    finally:
        os.close(descriptor)
