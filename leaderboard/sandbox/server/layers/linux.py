"""System calls of Linux that the standard library lacks, by number, through the C library."""

import ctypes
import errno
import os
import platform
import sys
from functools import cache
from typing import Any

PR_SET_PDEATHSIG = 1
PR_GET_DUMPABLE = 3
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_SET_CHILD_SUBREAPER = 36

_TIMES = 20

CLONE_NEWNS = 0x0002_0000
CLONE_NEWUTS = 0x0400_0000
CLONE_NEWIPC = 0x0800_0000
CLONE_NEWUSER = 0x1000_0000
CLONE_NEWPID = 0x2000_0000
CLONE_NEWNET = 0x4000_0000

# Calls newer than 5.0 have the same number on every architecture.
LANDLOCK_CREATE_RULESET = 444
LANDLOCK_ADD_RULE = 445
LANDLOCK_RESTRICT_SELF = 446
MOUNT_SETATTR = 442
_OLDER = {
    "x86_64": {"capset": 126, "pivot_root": 155, "seccomp": 317},
    "aarch64": {"capset": 91, "pivot_root": 41, "seccomp": 277},
}


class LayerRefused(Exception):
    """The host does not allow a layer; the text says why."""


def is_linux() -> bool:
    return sys.platform == "linux"


def machine() -> str:
    """The architecture that selects call numbers. Raises LayerRefused for an unknown one."""
    name = {"arm64": "aarch64", "amd64": "x86_64"}.get(platform.machine(), platform.machine())
    if name not in _OLDER or sys.maxsize < 2**32:
        raise LayerRefused(f"no system call numbers for {platform.machine()}")
    return name


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def prepare() -> None:
    """Look up the functions and call one before children are forked.

    The first calls write to memory, which each child would otherwise copy.
    """
    for name in ("syscall", "prctl", "capset", "mount", "unshare"):
        getattr(_libc(), name, None)
    for _ in range(_TIMES):
        prctl("dumpable", PR_GET_DUMPABLE)


def number(name: str) -> int:
    """The number of an older call on this architecture."""
    return _OLDER[machine()][name]


def call(what: str, function: int | str, *arguments: Any) -> int:
    """Call a system call by number or a C function by name; returns its result, never negative.

    Raises LayerRefused if the kernel reports an error; `what` begins its text.
    """
    name = "syscall" if isinstance(function, int) else function
    numbers = (function, *arguments) if isinstance(function, int) else arguments
    result = int(getattr(_libc(), name)(*(_as_word(value) for value in numbers)))
    if result < 0:
        code = ctypes.get_errno()
        raise LayerRefused(f"{what}: {errno.errorcode.get(code, code)} ({os.strerror(code)})")
    return result


def _as_word(value: Any) -> Any:
    return ctypes.c_ulong(value) if isinstance(value, int) else value


def prctl(what: str, option: int, argument: int = 0) -> None:
    call(what, "prctl", option, argument, 0, 0, 0)
