"""seccomp: a permanent filter in the kernel that allows listed system calls, for every thread.

Refused calls fail with EPERM, so that a scorer sees an ordinary PermissionError; some pretend to
succeed or to be missing, so that libraries continue (see `syscalls.py`). Calls of another
architecture (or of x32, which has its own numbers) end the process, because the filter cannot
interpret them. `clone3` is reported as missing, because its flags lie in memory that a filter
cannot read; the C library then falls back to `clone`, which is allowed for threads only.
"""

import ctypes
import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from functools import cache

from leaderboard.sandbox.server.layers import rules, syscalls
from leaderboard.sandbox.server.layers.bpf import (
    ARCHITECTURE,
    IF_AT_LEAST,
    IF_EQUAL,
    KILL_PROCESS,
    LOAD,
    NUMBER,
    FilterRule,
    answer,
    by_number,
    step,
)
from leaderboard.sandbox.server.layers.linux import LayerRefused, call, machine, number

AUDIT_ARCH = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
_X32_BIT = 0x4000_0000
_SET_MODE_FILTER = 1

_ANY_PID = 0x5EED_FACE
"""A placeholder for the process id, as the program is built before the process exists."""


def install_filter(*, programs: bool = False) -> None:
    """Filter every later call of this process. Needs no_new_privs or CAP_SYS_ADMIN.

    programs: the process may still execute another program, which keeps the filter.
    """
    install_program(build_filter(machine(), os.getpid(), programs=programs))


def install_program(program: bytes) -> None:
    """Install a filter in the kernel."""
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    call("seccomp", number("seccomp"), _SET_MODE_FILTER, 0, header)


def prepare() -> None:
    """Build the part that all filters share, before children are forked."""
    with suppress(LayerRefused):
        build_filter(machine(), 0)


def build_filter(architecture: str, own_pid: int, *, programs: bool = False) -> bytes:
    """The filter for a process with this id, 8 bytes per instruction."""
    return struct.pack("=I", own_pid).join(_pieces(architecture, programs=programs))


@cache
def _pieces(architecture: str, *, programs: bool) -> tuple[bytes, ...]:
    """The program, cut at each place where the process id belongs."""
    return tuple(make_program(architecture, programs=programs).split(struct.pack("=I", _ANY_PID)))


def make_program(
    architecture: str, *, programs: bool = False, otherwise: FilterRule = rules.REFUSED
) -> bytes:
    """The program for a process with the id _ANY_PID. otherwise: the rule of unlisted calls."""
    rules_by_number = dict(_numbered(architecture, programs=programs))
    tree = by_number(rules_by_number, otherwise, syscalls.NEWEST_KNOWN, rules.MISSING)
    return b"".join([*_foreign_calls(architecture), *tree])


def _numbered(architecture: str, *, programs: bool) -> Iterator[tuple[int, FilterRule]]:
    """The number and rule of every call that is not simply refused."""
    column = list(AUDIT_ARCH).index(architecture)
    ruled = rules.rules_for(_ANY_PID, programs=programs)
    lists: list[tuple[syscalls.SyscallNumbers, FilterRule]] = [
        (syscalls.ALLOWED, rules.ALLOWED),
        (syscalls.PRETENDED, rules.PRETENDED),
        (syscalls.MISSING, rules.MISSING),
        (syscalls.UNSUPPORTED, rules.UNSUPPORTED),
        (syscalls.PROGRAM if programs else {}, rules.ALLOWED),
    ]
    named = [(numbers, rule) for calls, rule in lists for numbers in calls.values()]
    named += [(numbers, ruled[name]) for name, numbers in syscalls.RULED.items()]
    for numbers, rule in named:
        if (own := numbers[column]) is not None:
            yield own, rule


def _foreign_calls(architecture: str) -> list[bytes]:
    steps = [
        step(LOAD, ARCHITECTURE),
        step(IF_EQUAL, AUDIT_ARCH[architecture], 1, 0),
        *answer(KILL_PROCESS),
        step(LOAD, NUMBER),
    ]
    if architecture == "x86_64":
        steps += [step(IF_AT_LEAST, _X32_BIT, 0, 1), *answer(KILL_PROCESS)]
    return steps
