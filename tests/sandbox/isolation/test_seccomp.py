"""The filter of system calls: its program, interpreted for both architectures, and in the
kernel."""

import ctypes
import errno
import os
import re
import shutil
import signal
import struct
import subprocess
import sys

import pytest

from leaderboard.sandbox.server.layers import bpf, privileges, seccomp, syscalls
from leaderboard.sandbox.server.layers.linux import machine
from tests.sandbox.forked import in_child
from tests.sandbox.isolation.refused import REFUSED

linux = pytest.mark.skipif(sys.platform != "linux", reason="the layers need Linux")
ARCHITECTURES = {"x86_64": 0, "aarch64": 1}
PID = 4711
LISTS = (
    *(syscalls.ALLOWED, syscalls.RULED, syscalls.PRETENDED, syscalls.MISSING),
    syscalls.UNSUPPORTED,
)
ALLOW, PRETEND = bpf.ALLOW, bpf.fails_with(0)
EPERM, ENOSYS, ENOTTY, EINVAL, EOPNOTSUPP = (
    bpf.fails_with(code)
    for code in (errno.EPERM, errno.ENOSYS, errno.ENOTTY, errno.EINVAL, errno.EOPNOTSUPP)
)


def answer(architecture: str, call: int, *arguments: int, programs: bool = False) -> int:
    """Return what a filter answers, by an interpreter of ours that also works for the other
    architecture."""
    program = seccomp.build_filter(architecture, PID, programs=programs)
    steps = list(struct.iter_unpack("=HBBI", program))
    words = [value % 2**64 for value in (*arguments, *[0] * 6)[:6]]
    asked = struct.pack("=IIQ6Q", call, seccomp.AUDIT_ARCH[architecture], 0, *words)
    at = loaded = 0
    while True:
        opcode, if_true, if_false, value = steps[at]
        at += 1
        match opcode:
            case bpf.LOAD:
                (loaded,) = struct.unpack_from("=I", asked, value)
            case bpf.AND:
                loaded &= value
            case bpf.JUMP:
                at += value
            case bpf.RETURN:
                return int(value)
            case _:
                at += if_true if _holds(opcode, loaded, value) else if_false


def _holds(opcode: int, loaded: int, value: int) -> bool:
    return {
        bpf.IF_EQUAL: loaded == value,
        bpf.IF_GREATER: loaded > value,
        bpf.IF_AT_LEAST: loaded >= value,
        bpf.IF_ANY_BIT: bool(loaded & value),
    }[opcode]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("programs", [False, True])
def test_every_call_is_answered_as_its_list_says(architecture: str, programs: bool) -> None:
    column = ARCHITECTURES[architecture]
    expected = dict.fromkeys(range(syscalls.NEWEST_KNOWN + 1), EPERM)
    for table, due in (
        (syscalls.ALLOWED, ALLOW),
        (syscalls.PRETENDED, PRETEND),
        (syscalls.MISSING, ENOSYS),
        (syscalls.UNSUPPORTED, EOPNOTSUPP),
        (syscalls.PROGRAM if programs else {}, ALLOW),
    ):
        expected |= {own: due for numbers in table.values() if (own := numbers[column]) is not None}
    ruled = {numbers[column] for numbers in syscalls.RULED.values()}
    answers = {
        number: answer(architecture, number, programs=programs)
        for number in expected
        if number not in ruled
    }
    assert answers == {number: due for number, due in expected.items() if number not in ruled}
    for later in (syscalls.NEWEST_KNOWN + 1, 1000, 2**29):
        assert answer(architecture, later) == ENOSYS


def test_each_call_is_in_one_list() -> None:
    names = [name for table in (*LISTS, REFUSED) for name in table]
    assert sorted(set(names)) == sorted(names)
    assert set(syscalls.PROGRAM) <= set(REFUSED)


HIGH = 2**32
UNIX, INET, STREAM, DATAGRAM, CLOEXEC = 1, 2, 1, 2, 0o2000000
RDONLY, WRONLY, RDWR, NEITHER, CREAT, TRUNC = 0, 1, 2, 3, 0o100, 0o1000
THREAD = 0x3D0F00
ARGUMENTS: list[tuple[str, tuple[int, ...], int]] = [
    *(("fcntl", (3, command), ALLOW) for command in (0, 1, 2, 3, 5, 1030, 1032)),
    *(("fcntl", (3, command), PRETEND) for command in (6, 7)),
    *(("fcntl", (3, command, 1), EPERM) for command in (8, 10, 15, 1024, 1026, 1031, 1033)),
    ("fcntl", (3, 4, os.O_NONBLOCK), ALLOW),
    ("fcntl", (3, 4, os.O_NONBLOCK | 0x2000), EPERM),
    ("fcntl", (3, HIGH + 8, 1), EPERM),
    *(("ioctl", (3, request), ALLOW) for request in (0x5421, 0x5450, 0x5451, 0x541B)),
    *(("ioctl", (3, request), ENOTTY) for request in (0x5401, 0x8901, 0x8902, 0x5452, 0x5412)),
    *(("prctl", (option,), ALLOW) for option in (3, 15, 16, 39)),
    *(("prctl", (option, 1), EPERM) for option in (1, 4, 22, 23, 24, 36, 38, 0x59616D61)),
    ("clone", (THREAD,), ALLOW),
    ("clone", (THREAD | 0x400000,), ALLOW),
    *(("clone", (flags,), EPERM) for flags in (0, signal.SIGCHLD, 0x4111, 0x3D0F00 & ~0x10000)),
    *(("clone", (THREAD | flag,), EPERM) for flag in (0x10000000, 0x20000, 0x40000000, 0x8000)),
    ("clone", (THREAD & ~0x400,), EPERM),
    *(("close_range", (3, 2**32 - 1, flags), ALLOW) for flags in (0, 4)),
    *(("close_range", (3, 2**32 - 1, flags), EPERM) for flags in (2, 6, HIGH + 2)),
    *(("kill", (pid, 9), EPERM) for pid in (0, 1, -1, -PID, PID + 1)),
    ("kill", (PID, 9), ALLOW),
    ("tgkill", (PID, 1, 9), ALLOW),
    ("tgkill", (1, PID, 9), EPERM),
    *(("prlimit64", (pid,), ALLOW) for pid in (0, PID, HIGH)),
    *(("prlimit64", (pid,), EPERM) for pid in (1, -1)),
    ("socketpair", (UNIX, STREAM | CLOEXEC, 0), ALLOW),
    ("socketpair", (UNIX, DATAGRAM, 0), EPERM),
    ("socketpair", (UNIX, STREAM, 1), EPERM),
    ("socketpair", (INET, STREAM, 0), EPERM),
    ("sendto", (3, 1, 1, 0, 0, 0), ALLOW),
    ("sendto", (3, 1, 1, 0, 4096, 16), EPERM),
    ("sendto", (3, 1, 1, 0, HIGH, 16), EPERM),
    *(
        ("openat", (3, 1, mode | flags), ALLOW)
        for mode, flags in (
            *((RDONLY, 0), (RDONLY, CREAT), (WRONLY, TRUNC | CREAT), (RDWR, TRUNC), (WRONLY, 0)),
            (RDONLY, os.O_DIRECTORY | os.O_CLOEXEC),
        )
    ),
    *(
        ("openat", (3, 1, mode | flags), EPERM)
        for mode, flags in (
            (RDONLY, TRUNC),
            (NEITHER, 0),
            (NEITHER, TRUNC),
            (RDONLY, TRUNC | CREAT),
        )
    ),
    ("open", (1, WRONLY | TRUNC), ALLOW),
    ("open", (1, RDONLY | TRUNC), EPERM),
    ("open", (1, NEITHER), EPERM),
    *(("futex", (1, command), ALLOW) for command in (0, 1, 3, 4, 5, 9, 10, 128, 129, 137, 393)),
    *(("futex", (1, command), ENOSYS) for command in (2, 6, 7, 8, 11, 12, 13, 134)),
    *(("madvise", (1, 1, advice), ALLOW) for advice in (0, 4, 8, 14, 15, 21, 25)),
    *(("madvise", (1, 1, advice), EPERM) for advice in (12, 13)),
    *(("madvise", (1, 1, advice), EINVAL) for advice in (26, 100, 101)),
    *(("renameat2", (3, 1, 3, 2, flags), ALLOW) for flags in (0, 1)),
    *(("renameat2", (3, 1, 3, 2, flags), EPERM) for flags in (2, 4)),
    *(("arch_prctl", (code,), ALLOW) for code in (0x1021, 0x1022, 0x1023)),
    *(("arch_prctl", (code,), EINVAL) for code in (0x1001, 0x1002, 0x3001, 0x4001)),
]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_filter_checks_arguments(architecture: str) -> None:
    column = ARCHITECTURES[architecture]
    wrong = []
    for name, arguments, due in ARGUMENTS:
        number = syscalls.RULED[name][column]
        if number is not None and answer(architecture, number, *arguments) != due:
            wrong.append((name, arguments))
    assert wrong == []
    assert {name for name, _, _ in ARGUMENTS} == set(syscalls.RULED)


def test_a_program_may_set_its_thread_register() -> None:
    (number, _) = syscalls.RULED["arch_prctl"]
    assert number is not None
    assert answer("x86_64", number, 0x1002, programs=True) == ALLOW
    assert answer("x86_64", number, 0x1001, programs=True) == EINVAL


@linux
def test_the_table_matches_this_kernel() -> None:
    """The numbers are right on this machine, and no refused call reaches the kernel."""

    def act() -> None:
        privileges.forbid_new_privileges()
        seccomp.install_filter()
        libc = ctypes.CDLL(None, use_errno=True)
        column = ARCHITECTURES[machine()]
        for table, due in (
            (REFUSED, errno.EPERM),
            (syscalls.MISSING, errno.ENOSYS),
            (syscalls.UNSUPPORTED, errno.EOPNOTSUPP),
        ):
            for name, numbers in table.items():
                if numbers[column] is not None:
                    assert libc.syscall(numbers[column], -1, -1, -1, -1, -1, -1) == -1
                    assert ctypes.get_errno() == due, name
        for name, numbers in syscalls.PRETENDED.items():
            if numbers[column] is not None:
                assert libc.syscall(numbers[column], -1, -1, -1, -1, -1, -1) == 0, name

    assert in_child(act) == 0


@linux
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="x32 belongs to x86_64")
def test_calls_of_another_abi_end_the_process() -> None:
    def act() -> None:
        privileges.forbid_new_privileges()
        seccomp.install_filter()
        ctypes.CDLL(None).syscall(0x4000_0000 + 39)

    assert in_child(act) == -signal.SIGSYS


HEADERS = {
    "x86_64": ("asm/unistd_64.h", ()),
    "aarch64": (
        "asm-generic/unistd.h",
        (
            *("BITS_PER_LONG=64", "ARCH_WANT_RENAMEAT", "ARCH_WANT_NEW_STAT"),
            *("ARCH_WANT_SYS_CLONE3", "ARCH_WANT_SET_GET_RLIMIT", "ARCH_WANT_MEMFD_SECRET"),
        ),
    ),
}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_numbers_match_the_kernels_headers(architecture: str) -> None:
    header_numbers = numbers_in_headers(architecture)
    if not header_numbers:
        pytest.skip("no compiler here with the kernel's headers for this architecture")
    column = ARCHITECTURES[architecture]
    wrong = {
        name: (numbers[column], header_numbers.get(name))
        for table in (*LISTS, REFUSED)
        for name, numbers in table.items()
        if name in header_numbers and numbers[column] != header_numbers[name]
    }
    assert wrong == {}


def numbers_in_headers(architecture: str) -> dict[str, int]:
    """Return names and numbers from this machine's headers; {} where it has none."""
    header, defined = HEADERS[architecture]
    if (compiler := shutil.which("cc") or shutil.which("gcc")) is None:
        return {}
    options = [f"-D__{name}" for name in defined]
    text = subprocess.run(
        [compiler, "-E", "-dM", *options, "-"],
        input=f"#include <{header}>\n",
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    definitions: dict[str, str] = dict(
        re.findall(r"^#define (__NR\w+)\s+\(?(\w+)\)?$", text, re.MULTILINE)
    )
    return {
        name.removeprefix("__NR_"): int(definitions.get(value, value))
        for name, value in definitions.items()
        if name.startswith("__NR_") and name not in ("__NR_arch_specific_syscall", "__NR_syscalls")
    }
