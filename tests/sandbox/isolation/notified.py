"""A filter whose system calls this process answers: to name a missing call, or to imitate an old
kernel.

The child installs a program in which some calls end in `ASK`; a thread of this process reads each
of them and decides what the child gets. This needs no privilege for a child of this process.
"""

import ctypes
import errno
import fcntl
import os
import select
import struct
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from leaderboard.sandbox.server.layers import privileges
from leaderboard.sandbox.server.layers.linux import call, number

ASK = 0x7FC0_0000
_SET_MODE_FILTER, _NEW_LISTENER = 1, 8
_RECEIVE, _SEND = 0xC050_2100, 0xC018_2101
_PIDFD_GETFD = 438


class Call(NamedTuple):
    """A system call of the child: its number and arguments."""

    number: int
    arguments: tuple[int, ...]


Reply = Callable[[Call], int]
"""A function that decides what the child gets for a call: a result, or a negative errno."""


def refuse(asked: Call) -> int:
    return -errno.EPERM


def run_notified(act: Callable[[], None], program: bytes, reply: Reply = refuse) -> list[Call]:
    """Return the calls that a forked child was asked about while it acted. Raise if it failed."""
    handed, theirs = os.pipe()
    release, released = os.pipe()
    pid = os.fork()
    if pid == 0:
        _live(act, program, theirs, release)
    os.close(theirs)
    os.close(release)
    listener = _take(pid, int(os.read(handed, 16)))
    os.close(handed)
    os.write(released, b"go")
    asked: list[Call] = []
    answering = threading.Thread(target=_answer, args=(listener, reply, asked))
    answering.start()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    answering.join()
    os.close(released)
    os.close(listener)
    if status:
        raise AssertionError(f"the child ended with {status} after {asked}")
    return asked


def _live(act: Callable[[], None], program: bytes, handed: int, release: int) -> None:
    status = 1
    try:
        privileges.forbid_new_privileges()
        os.write(handed, b"%d" % _install(program))
        os.read(release, 2)
        act()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _install(program: bytes) -> int:
    """Install the filter; return the number of the descriptor on which its calls are read."""
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    return call("seccomp", number("seccomp"), _SET_MODE_FILTER, _NEW_LISTENER, header)


def _take(pid: int, descriptor: int) -> int:
    """Return a duplicate of a child's descriptor for this process."""
    process = os.pidfd_open(pid)
    try:
        return call("pidfd_getfd", _PIDFD_GETFD, process, descriptor, 0)
    finally:
        os.close(process)


def _answer(listener: int, reply: Reply, asked: list[Call]) -> None:
    """Answer calls until the child and all its descendants are gone."""
    waiting = select.poll()
    waiting.register(listener, select.POLLIN)
    while any(event & select.POLLIN for _, event in waiting.poll()):
        request = bytearray(80)
        with suppress(FileNotFoundError):  # the calling process was killed in between
            fcntl.ioctl(listener, _RECEIVE, request)
            cookie, _, _, number_, _, _, *arguments = struct.unpack("=QIIiIQ6Q", request)
            system_call = Call(number_, tuple(arguments))
            asked.append(system_call)
            result = reply(system_call)
            error, value = (result, 0) if result < 0 else (0, result)
            fcntl.ioctl(listener, _SEND, bytearray(struct.pack("=QqiI", cookie, value, error, 0)))
