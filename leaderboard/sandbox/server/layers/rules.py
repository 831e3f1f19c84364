"""Rules for system calls that are allowed with some arguments only.

A rule starts with the call's number loaded and ends with an answer. The numbers of commands and
flags are those of Linux on x86_64 and aarch64, which share them.
"""

import errno
import socket

from leaderboard.sandbox.server.layers.bpf import (
    ALLOW,
    AND,
    FilterRule,
    answer,
    fails_with,
    if_any_bit,
    if_equal,
    if_greater,
    load_argument,
    step,
)

REFUSED = answer(fails_with(errno.EPERM))
MISSING = answer(fails_with(errno.ENOSYS))
UNSUPPORTED = answer(fails_with(errno.EOPNOTSUPP))
PRETENDED = answer(fails_with(0))
ALLOWED = answer(ALLOW)

# fcntl
_F_SETFL, _F_SETLK, _F_SETLKW, _O_ASYNC = 4, 6, 7, 0x2000
_DUPFD, _GETFD, _SETFD, _GETFL, _GETLK, _DUPFD_CLOEXEC, _GETPIPE_SZ = 0, 1, 2, 3, 5, 1030, 1032
_PLAIN_COMMANDS = (_DUPFD, _GETFD, _SETFD, _GETFL, _GETLK, _DUPFD_CLOEXEC, _GETPIPE_SZ)

_FIONBIO, _FIONCLEX, _FIOCLEX, _FIONREAD = 0x5421, 0x5450, 0x5451, 0x541B

_GET_DUMPABLE, _SET_NAME, _GET_NAME, _GET_NO_NEW_PRIVS = 3, 15, 16, 39

# clone: no flags but those that glibc and musl use for threads. A thread shares the descriptors of
# its process, because the limit of their number holds for each table of them.
_CLONE_FILES, _CLONE_THREAD, _FLAGS_OF_THREADS = 0x400, 0x0001_0000, 0x007D_0F00
_CLOSE_RANGE_CLOEXEC = 4

_O_ACCMODE, _O_TRUNC = 0b11, 0x200
_WAIT, _WAKE, _REQUEUE, _CMP_REQUEUE, _WAKE_OP, _WAIT_BITSET, _WAKE_BITSET = 0, 1, 3, 4, 5, 9, 10
_FUTEX_COMMANDS = (_WAIT, _WAKE, _REQUEUE, _CMP_REQUEUE, _WAKE_OP, _WAIT_BITSET, _WAKE_BITSET)
_FUTEX_COMMAND = 0x7F
_MADV_MERGEABLE, _MADV_UNMERGEABLE, _NEWEST_ADVICE = 12, 13, 25
_RENAME_NOREPLACE = 1
_GET_XCOMP_SUPP, _GET_XCOMP_PERM, _REQ_XCOMP_PERM = 0x1021, 0x1022, 0x1023
_SET_FS, _CET_STATUS = 0x1002, 0x3001
_TYPE_OF_SOCKET = 0xF


def _only(position: int, values: tuple[int, ...], otherwise: FilterRule = REFUSED) -> list[bytes]:
    """Allow the call if an argument has one of these values."""
    tests = [line for value in values for line in if_equal(value, ALLOWED)]
    return [load_argument(position), *tests, *otherwise]


def _opening(flags: int) -> list[bytes]:
    """Refuse to truncate a file that is opened for reading, and refuse the access mode 3.

    Before its third version, Landlock checks only the right to read when a file is opened for
    reading and truncated. The access mode 3 is neither reading nor writing, so Landlock checks
    nothing.
    """
    return [
        load_argument(flags),
        step(AND, _O_ACCMODE | _O_TRUNC),
        *if_equal(_O_TRUNC, REFUSED),
        *if_equal(_O_ACCMODE, REFUSED),
        *if_equal(_O_ACCMODE | _O_TRUNC, REFUSED),
        *ALLOWED,
    ]


def rules_for(own_pid: int, *, programs: bool) -> dict[str, FilterRule]:
    """A rule for each call of `syscalls.RULED`, for a process with this id.

    programs: the process executes another program, which sets up its thread's registers.
    """
    return {
        **_of_files(),
        **_of_processes(own_pid),
        **_of_sockets(),
        **_of_memory(),
        "arch_prctl": _registers(programs=programs),
    }


def _of_files() -> dict[str, FilterRule]:
    nothing_else = answer(fails_with(errno.ENOTTY))
    return {
        "fcntl": [
            *_only(1, _PLAIN_COMMANDS, ()),
            *if_equal(_F_SETLK, PRETENDED),
            *if_equal(_F_SETLKW, PRETENDED),
            *if_equal(_F_SETFL, [load_argument(2), *if_any_bit(_O_ASYNC, REFUSED), *ALLOWED]),
            *REFUSED,
        ],
        "ioctl": _only(1, (_FIONBIO, _FIONCLEX, _FIOCLEX, _FIONREAD), nothing_else),
        "openat": _opening(2),
        "open": _opening(1),
        "renameat2": _only(4, (0, _RENAME_NOREPLACE)),
        "close_range": _only(2, (0, _CLOSE_RANGE_CLOEXEC)),
    }


def _of_processes(own_pid: int) -> dict[str, FilterRule]:
    """Allow a process its own threads, signals to itself, and its own limits."""
    return {
        "prctl": _only(0, (_GET_DUMPABLE, _SET_NAME, _GET_NAME, _GET_NO_NEW_PRIVS)),
        "clone": [
            load_argument(0),
            *if_any_bit(~_FLAGS_OF_THREADS & 0xFFFF_FFFF, REFUSED),
            step(AND, _CLONE_THREAD | _CLONE_FILES),
            *if_equal(_CLONE_THREAD | _CLONE_FILES, ALLOWED),
            *REFUSED,
        ],
        "kill": _only(0, (own_pid,)),
        "tgkill": _only(0, (own_pid,)),
        "prlimit64": _only(0, (0, own_pid)),
    }


def _of_sockets() -> dict[str, FilterRule]:
    """Allow pairs of streams, and sending without an address.

    A datagram socket of a pair could send to any unix socket by its path.
    """
    streams = [
        load_argument(1),
        step(AND, _TYPE_OF_SOCKET),
        *if_equal(socket.SOCK_STREAM, _only(2, (0,))),
        *REFUSED,
    ]
    return {
        "socketpair": [load_argument(0), *if_equal(socket.AF_UNIX, streams), *REFUSED],
        "sendto": [load_argument(4), *if_equal(0, _high_half_is_zero(4)), *REFUSED],
    }


def _of_memory() -> dict[str, FilterRule]:
    return {
        "futex": [
            load_argument(1),
            step(AND, _FUTEX_COMMAND),
            *(line for command in _FUTEX_COMMANDS for line in if_equal(command, ALLOWED)),
            *MISSING,
        ],
        "madvise": [
            load_argument(2),
            *if_equal(_MADV_MERGEABLE, REFUSED),
            *if_equal(_MADV_UNMERGEABLE, REFUSED),
            *if_greater(_NEWEST_ADVICE, answer(fails_with(errno.EINVAL))),
            *ALLOWED,
        ],
    }


def _registers(*, programs: bool) -> FilterRule:
    start = (_SET_FS, _CET_STATUS) if programs else ()
    harmless = (_GET_XCOMP_SUPP, _GET_XCOMP_PERM, _REQ_XCOMP_PERM, *start)
    return _only(0, harmless, answer(fails_with(errno.EINVAL)))


def _high_half_is_zero(position: int) -> list[bytes]:
    return [load_argument(position, high=True), *if_equal(0, ALLOWED), *REFUSED]
