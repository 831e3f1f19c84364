"""Limits that every POSIX system enforces for one process.

All memory that a child can use is limited: 1 GiB of addresses, 64 MiB in the working folder, at
most 10 MiB in 64 descriptors (256 for text metrics), and 64 MiB of page tables. The filter of
system calls refuses what else holds memory (`memfd_create`, larger pipes, SysV and POSIX queues),
threads with descriptors of their own, and forks.

No limit of the kernel counts page tables, so the zygote reads those of its child every 20 ms and
ends a child above the limit; between two looks a child can fill some 40 MiB. If a part of the
cgroup v2 tree is delegated to the worker's user, a child is also put into a group with the sum of
these limits as `memory.max`. All other limits work without a cgroup.
"""

import resource
from collections.abc import Sequence

from leaderboard.sandbox.server.layers.linux import LayerRefused, is_linux

_SIGNALS = 64
_STACK = 8 << 20


def apply_rlimits(
    *, memory: int, file: int, open_files: int, threads: int, cpu_seconds: int
) -> None:
    """Set hard limits (bytes, counts, seconds); a limit that is lower already stays.

    Raises LayerRefused, which names the limits that the system does not know or allow.
    """
    wanted = (
        ("RLIMIT_CORE", 0),
        ("RLIMIT_MEMLOCK", 0),
        *((("RLIMIT_MSGQUEUE", 0), ("RLIMIT_SIGPENDING", _SIGNALS)) if is_linux() else ()),
        ("RLIMIT_STACK", _STACK),
        ("RLIMIT_AS", memory),
        ("RLIMIT_FSIZE", file),
        ("RLIMIT_NOFILE", open_files),
        ("RLIMIT_NPROC", threads),
        ("RLIMIT_CPU", cpu_seconds),
    )
    _raise_if_any([name for name, value in wanted if not _lower(name, value)])


def _lower(name: str, value: int) -> bool:
    kind = getattr(resource, name, None)
    if kind is None:
        return False
    _, hard = resource.getrlimit(kind)
    lowest = value if hard == resource.RLIM_INFINITY else min(value, hard)
    try:
        resource.setrlimit(kind, (lowest, lowest))
    except (OSError, ValueError):
        return False
    return True


def _raise_if_any(refused: Sequence[str]) -> None:
    if refused:
        raise LayerRefused("not granted: " + ", ".join(refused))
