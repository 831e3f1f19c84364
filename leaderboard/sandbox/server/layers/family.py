"""Finds and ends all processes that a child has started, with or without a pid namespace."""

import os
import signal
from contextlib import suppress

from leaderboard.sandbox.server.layers.linux import (
    PR_SET_CHILD_SUBREAPER,
    PR_SET_PDEATHSIG,
    is_linux,
    prctl,
)


def adopt_orphans() -> None:
    """Make this process the parent of every descendant whose own parent has ended."""
    prctl("subreaper", PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Have the kernel kill this process when the thread that forked it ends.

    Changing the user id clears this.
    """
    if is_linux():
        prctl("pdeathsig", PR_SET_PDEATHSIG, signal.SIGKILL)


def kill_group(pid: int, *, unreaped: bool) -> None:
    """Send SIGKILL to a child's process group; to the child alone while it has no group yet.

    unreaped: the child was not waited for yet, so no other process can have its id.
    """
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        if unreaped:
            os.kill(pid, signal.SIGKILL)


def kill_namespace() -> None:
    """Send SIGKILL to every other process of the pid namespace. Its init calls this."""
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)


def kill_adopted(proc: int) -> None:
    """Send SIGKILL to every child of this process. proc: an open descriptor of /proc."""
    own = os.getpid()
    for name in filter(str.isdigit, os.listdir(proc)):
        if _parent_of(proc, name) == own:
            with suppress(ProcessLookupError):
                os.kill(int(name), signal.SIGKILL)


def _parent_of(proc: int, name: str) -> int:
    try:
        text = _read(proc, f"{name}/stat")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(text.rpartition(b")")[2].split()[1])


def _read(proc: int, name: str) -> bytes:
    file = os.open(name, os.O_RDONLY, dir_fd=proc)
    try:
        return os.read(file, 4096)
    finally:
        os.close(file)


def page_table_bytes(proc: int) -> int:
    """The size of the page tables of this thread's children. proc: an open descriptor of /proc.

    They are read by the ids that `proc` has for them, which a pid namespace does not share. 0 where
    the kernel does not tell.
    """
    with suppress(OSError):
        children = _read(proc, "thread-self/children").split()
        return sum(_page_tables_of(proc, pid.decode()) for pid in children)
    return 0


def _page_tables_of(proc: int, pid: str) -> int:
    """The bytes of a process, told by any of its threads: the first one may have ended."""
    with suppress(OSError):
        tasks = os.open(f"{pid}/task", os.O_RDONLY, dir_fd=proc)
        try:
            for thread in os.listdir(tasks):
                _, _, text = _read(tasks, f"{thread}/status").partition(b"\nVmPTE:")
                if text:
                    return 1024 * int(text.split(maxsplit=1)[0])
        finally:
            os.close(tasks)
    return 0


def count_threads(uid: int) -> int:
    """The number of threads this user runs now, on the whole system; 0 if unknown."""
    count = 0
    with suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with suppress(OSError):
                if os.stat(f"/proc/{name}").st_uid == uid:
                    count += len(os.listdir(f"/proc/{name}/task"))
    return count


def go_first_when_memory_is_short(proc: int) -> None:
    """Make the kernel's out-of-memory killer choose this process rather than the worker."""
    with suppress(OSError):
        file = os.open("self/oom_score_adj", os.O_WRONLY, dir_fd=proc)
        try:
            os.write(file, b"1000")
        finally:
            os.close(file)
