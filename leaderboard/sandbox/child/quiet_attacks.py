"""Attacks that the results of system calls do not reveal; their effect is checked instead.

A filter may pretend that a call succeeded, so each attack does all it can and reports no errors.
`host/targets.py` checks afterwards whether a process still lives and a file is unchanged. The child
itself checks effects on its own memory and files.
"""

import ctypes
import mmap
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from leaderboard.sandbox.jobs import AttackTarget
from leaderboard.sandbox.server.layers.linux import LayerRefused, call

_F_SETFL, _F_SETOWN, _F_SETSIG, _F_SETOWN_EX, _O_ASYNC = 4, 8, 10, 15, 0x2000
_FIOSETOWN, _SIOCSPGRP, _FIOASYNC = 0x8901, 0x8902, 0x5452
_SIGKILL = 9
_NOBODY = 65534
_NEITHER_READING_NOR_WRITING = 3


class Stopped(Exception):
    """The attack had no effect."""


def signal_by_descriptor(target: AttackTarget) -> str:
    """Have the kernel send SIGKILL to another process when something can be read."""
    victim = target["victim"]
    number = victim.to_bytes(4, "little")
    owner = ctypes.create_string_buffer(b"\1\0\0\0" + number, 8)
    word = ctypes.create_string_buffer(number, 4)
    on = ctypes.create_string_buffer(b"\1\0\0\0", 4)
    for function, command, argument in (
        ("fcntl", _F_SETOWN, victim),
        ("fcntl", _F_SETOWN_EX, owner),
        ("ioctl", _FIOSETOWN, word),
        ("ioctl", _SIOCSPGRP, word),
    ):
        here, other_end = socket.socketpair()
        with here, other_end:
            for step in (
                (function, here.fileno(), command, argument),
                ("fcntl", here.fileno(), _F_SETSIG, _SIGKILL),
                ("fcntl", here.fileno(), _F_SETFL, _O_ASYNC),
                ("ioctl", here.fileno(), _FIOASYNC, on),
            ):
                _quietly(call, "signal", *step)
            other_end.send(b"x")
    return "a descriptor's signal ended another process of the worker"


def _quietly(act: Callable[..., object], *arguments: object) -> None:
    with suppress(OSError, LayerRefused):
        act(*arguments)


def change_files(target: AttackTarget) -> str:
    """Change the mode, times and attributes of a file, by path and by a read-only descriptor."""
    for path in target["guarded_files"]:
        _quietly(os.chmod, path, 0o700)
        _quietly(os.utime, path, (1, 1))
        _quietly(os.setxattr, path, "user.podium", b"x")
        _quietly(os.chown, path, _NOBODY, _NOBODY)
    for descriptor in _opened(target, os.O_RDONLY):
        _quietly(os.fchmod, descriptor, 0o700)
        _quietly(os.utime, descriptor, (1, 1))
        _quietly(os.setxattr, descriptor, "user.podium", b"x")
        os.close(descriptor)
    return "changed the mode, times or attributes of a file that it may at most read"


def empty_files(target: AttackTarget) -> str:
    """Truncate a file without the right to write to it."""
    for path in target["guarded_files"]:
        _quietly(os.truncate, path, 0)
    for mode in (os.O_RDONLY, os.O_WRONLY, _NEITHER_READING_NOR_WRITING):
        for descriptor in _opened(target, mode | os.O_TRUNC):
            _quietly(os.ftruncate, descriptor, 0)
            os.close(descriptor)
    return "emptied a file that it may at most read"


def _opened(target: AttackTarget, flags: int) -> Iterator[int]:
    for path in target["guarded_files"]:
        with suppress(OSError):
            yield os.open(path, flags)


def hold_memory_files(target: AttackTarget) -> str:
    """Allocate memory without an address, which no limit of addresses counts."""
    descriptor = os.memfd_create("podium")
    os.write(descriptor, b"held" * 1024)
    if os.pread(descriptor, 4, 4092) != b"held":
        raise Stopped("nothing is kept there")
    return "holds memory in a file without a name, which counts for no limit"


def hold_page_tables(target: AttackTarget) -> str:
    """Spread single pages so far apart that each needs page tables of its own."""
    memory = ctypes.CDLL(None, use_errno=True)
    memory.mmap.restype = ctypes.c_void_p
    memory.mmap.argtypes = [ctypes.c_void_p, *[ctypes.c_size_t] * 5]
    spread = 0
    for number in range(1, _SPREAD + 1):
        wanted = number * _FAR_APART - mmap.PAGESIZE
        address = memory.mmap(wanted, 2 * mmap.PAGESIZE, _READ_WRITE, _PRIVATE, _NO_FILE, 0)
        if address in (None, _FAILED):
            raise Stopped("no more addresses were given")
        ctypes.memset(address, 1, 2 * mmap.PAGESIZE)
        spread += address == wanted
    if spread < _SPREAD // 2:
        raise Stopped("the pages are not far apart")
    time.sleep(_LINGER)
    return f"holds page tables of some {_SPREAD * 4 * mmap.PAGESIZE >> 20} MiB"


_SPREAD, _FAR_APART = 16_384, 1 << 30
"""So many pairs of pages, across the ends of what one page of a higher table covers."""
_READ_WRITE, _PRIVATE, _NO_FILE, _FAILED = 3, 0x22, 2**64 - 1, 2**64 - 1
_LINGER = 0.2


def multiply_descriptors(target: AttackTarget) -> str:
    """Give a thread a table of descriptors of its own, whose sockets count for no limit."""
    opened: list[int] = []

    def open_apart() -> None:
        _quietly(call, "close_range", _CLOSE_RANGE, _NO_DESCRIPTOR, _NO_DESCRIPTOR, _UNSHARE)
        pair = socket.socketpair()
        opened.extend(end.fileno() for end in pair)
        is_open.set()
        is_seen.wait()

    is_open, is_seen = threading.Event(), threading.Event()
    threading.Thread(target=open_apart, daemon=True).start()
    is_open.wait()
    try:
        os.fstat(opened[0])
    except OSError:
        return "has a limit of descriptors for each thread"
    finally:
        is_seen.set()
    raise Stopped("all threads share one limit of descriptors")


_CLOSE_RANGE, _NO_DESCRIPTOR, _UNSHARE = 436, 2**32 - 1, 2

_MORE = 2 << 20


def fill_disk(target: AttackTarget) -> str:
    """Write more small files than the working folder may hold."""
    promised, part = target["file_bytes"], max(target["file_bytes"] // 4, 1)
    held = 0
    for number in range(promised // part + 1):
        with open(f"filling-{number}", "wb") as file:
            os.posix_fallocate(file.fileno(), 0, min(part, promised + _MORE - held))
            held += os.fstat(file.fileno()).st_blocks * 512
    if held <= promised:
        raise Stopped("files held less than they said")
    return "filled the disk of its working folder beyond the limit"


def stall_disks(target: AttackTarget) -> str:
    """Ask for all disks to be written out.

    `sync` itself never fails; related calls return errors.
    """
    for name in ("syncfs", "fsync", "fdatasync"):
        try:
            call(name, name, 2**31 - 1)
        except LayerRefused as error:
            if "EBADF" in str(error):  # the kernel has looked at the descriptor
                return "may have the host's disks written out"
    raise Stopped("nobody was asked")


QUIET: dict[str, Callable[[AttackTarget], str]] = {
    "signals by descriptors": signal_by_descriptor,
    "changing files": change_files,
    "emptying files": empty_files,
    "memory files": hold_memory_files,
    "page tables": hold_page_tables,
    "descriptor tables": multiply_descriptors,
    "disk use": fill_disk,
    "stalling disks": stall_disks,
}
