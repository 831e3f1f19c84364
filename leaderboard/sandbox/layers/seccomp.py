"""seccomp: a filter in the kernel that refuses system calls, for good and for every thread.

Refused calls fail with EPERM, so that a scorer sees an ordinary PermissionError. Calls of another
architecture (or of x32, which has its own numbers) end the process: the filter could not read
them. `clone3` does not exist, because its flags lie in memory that a filter cannot look at; the C
library then falls back to `clone`, which is allowed for threads only.
"""

import ctypes
import errno
import os
import socket
import struct

from leaderboard.sandbox.layers import syscalls
from leaderboard.sandbox.layers.linux import CLONE_THREAD, call, machine, number

_SET_MODE_FILTER = 1
_AUDIT_ARCH = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
_X32_BIT = 0x4000_0000

_ALLOW = 0x7FFF_0000
_KILL_PROCESS = 0x8000_0000
_ERRNO = 0x0005_0000

# Offsets in struct seccomp_data; both architectures are little-endian, so the low half is first.
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24

# Opcodes of classic BPF.
_LOAD = 0x20
_AND = 0x54
_IF_EQUAL, _IF_GREATER, _IF_AT_LEAST, _IF_ANY_BIT = 0x15, 0x25, 0x35, 0x45
_RETURN = 0x06


def install_filter(*, programs: bool = False) -> None:
    """Filter every later call of this process. Needs no_new_privs, or CAP_SYS_ADMIN.

    programs: it may still become another program, which keeps the filter.
    """
    install_program(build_filter(machine(), os.getpid(), programs=programs))


def install_program(program: bytes) -> None:
    """Hand a filter to the kernel."""
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    call("seccomp", number("seccomp"), _SET_MODE_FILTER, 0, header)


def build_filter(architecture: str, own_pid: int, *, programs: bool = False) -> bytes:
    """The program: 8 bytes per instruction, for a process with this id."""
    column = list(_AUDIT_ARCH).index(architecture)
    allowed = syscalls.STARTS_A_PROGRAM if programs else ()
    return b"".join(
        [
            *_foreign_calls(architecture),
            *(
                step
                for name, numbers in syscalls.DENIED.items()
                if name not in allowed
                for step in _refuse(numbers[column], errno.EPERM)
            ),
            *_refuse(syscalls.CLONE3[column], errno.ENOSYS),
            *_threads_only(syscalls.CLONE[column]),
            *_unix_streams_only(syscalls.SOCKETPAIR[column]),
            *(
                step
                for numbers in syscalls.TAKES_A_PROCESS.values()
                for step in _oneself_only(numbers[column], own_pid)
            ),
            _step(_IF_GREATER, syscalls.NEWEST_KNOWN, 0, 1),
            _return(_ERRNO | errno.ENOSYS),
            _return(_ALLOW),
        ]
    )


def _step(opcode: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", opcode, if_true, if_false, value)


def _return(answer: int) -> bytes:
    return _step(_RETURN, answer)


def _foreign_calls(architecture: str) -> list[bytes]:
    steps = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_IF_EQUAL, _AUDIT_ARCH[architecture], 1, 0),
        _return(_KILL_PROCESS),
        _step(_LOAD, _NUMBER),
    ]
    if architecture == "x86_64":
        steps += [_step(_IF_AT_LEAST, _X32_BIT, 0, 1), _return(_KILL_PROCESS)]
    return steps


def _refuse(call_number: int | None, code: int) -> list[bytes]:
    if call_number is None:
        return []
    return [_step(_IF_EQUAL, call_number, 0, 1), _return(_ERRNO | code)]


def _threads_only(call_number: int) -> list[bytes]:
    return [
        _step(_IF_EQUAL, call_number, 0, 4),
        _step(_LOAD, _FIRST),
        _step(_IF_ANY_BIT, CLONE_THREAD, 0, 1),
        _return(_ALLOW),
        _return(_ERRNO | errno.EPERM),
    ]


def _unix_streams_only(call_number: int) -> list[bytes]:
    """A pair of datagram sockets could still send to any unix socket by its path."""
    return [
        _step(_IF_EQUAL, call_number, 0, 7),
        _step(_LOAD, _FIRST),
        _step(_IF_EQUAL, socket.AF_UNIX, 0, 4),
        _step(_LOAD, _SECOND),
        _step(_AND, 0xF),
        _step(_IF_EQUAL, socket.SOCK_STREAM, 0, 1),
        _return(_ALLOW),
        _return(_ERRNO | errno.EPERM),
    ]


def _oneself_only(call_number: int | None, own_pid: int) -> list[bytes]:
    if call_number is None:
        return []
    own = [0, own_pid] if call_number in syscalls.TAKES_A_PROCESS["prlimit64"] else [own_pid]
    return [
        _step(_IF_EQUAL, call_number, 0, 2 + 2 * len(own)),
        _step(_LOAD, _FIRST),
        *(step for pid in own for step in (_step(_IF_EQUAL, pid, 0, 1), _return(_ALLOW))),
        _return(_ERRNO | errno.EPERM),
    ]
