"""Each layer by itself, in a child that gives up the right under test."""

import ctypes
import errno
import os
import signal
import struct
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.sandbox import Sandbox
from leaderboard.sandbox.layers import landlock, privileges, seccomp, syscalls
from leaderboard.sandbox.layers.linux import LayerRefused, machine
from tests.sandbox import cases
from tests.sandbox.conftest import SETTINGS
from tests.sandbox.watching import RATING, score, verdict

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the layers need Linux")


def in_child(act: Callable[[], None]) -> int:
    """Run something in a forked child; 0 if it returned, else as subprocess.returncode."""
    pid = os.fork()
    if pid == 0:
        try:
            act()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_landlock_is_a_list_of_files(tmp_path: Path) -> None:
    seen, work = tmp_path / "seen", tmp_path / "work"
    for folder in (seen, work):
        folder.mkdir()
    (seen / "text").write_text("read me")
    (tmp_path / "secret").write_text("not me")

    def act() -> None:
        privileges.forbid_new_privileges()
        landlock.restrict_files([str(seen), "/nowhere"], [str(work)])
        assert (seen / "text").read_text() == "read me"
        (work / "new").write_text("written")
        (work / "new").unlink()
        for attempt in (
            lambda: (tmp_path / "secret").read_text(),
            lambda: (seen / "text").write_text("changed"),
            lambda: os.listdir(tmp_path),
            lambda: (seen / "text").unlink(),
            lambda: os.mkfifo(work / "fifo"),
            lambda: os.symlink("/", work / "link"),
        ):
            with pytest.raises(PermissionError):
                attempt()

    try:
        landlock.abi()
    except LayerRefused as refused:
        pytest.skip(f"this kernel has no Landlock: {refused}")
    assert in_child(act) == 0


X32_GETPID = 0x4000_0000 + 39


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="x32 belongs to x86_64")
def test_calls_under_other_numbers_end_the_process() -> None:
    def act() -> None:
        privileges.forbid_new_privileges()
        seccomp.install_filter()
        ctypes.CDLL(None).syscall(X32_GETPID)

    assert in_child(act) == -signal.SIGSYS


ALLOW, KILL = seccomp._ALLOW, seccomp._KILL_PROCESS
EPERM, ENOSYS = seccomp._ERRNO | errno.EPERM, seccomp._ERRNO | errno.ENOSYS
ARCHITECTURES = {"x86_64": 0, "aarch64": 1}
PID = 4711


def answer(architecture: str, call: int, first: int = 0, second: int = 0) -> int:
    """What a filter answers, by a small machine of our own: also for the other architecture."""
    program = seccomp.build_filter(architecture, PID)
    steps = list(struct.iter_unpack("=HBBI", program))
    asked = struct.pack(
        "=IIQ6Q", call, seccomp._AUDIT_ARCH[architecture], 0, first, second, *[0] * 4
    )
    at = found = 0
    while True:
        opcode, if_true, if_false, value = steps[at]
        at += 1
        match opcode:
            case seccomp._LOAD:
                (found,) = struct.unpack_from("=I", asked, value)
            case seccomp._AND:
                found &= value
            case seccomp._RETURN:
                return int(value)
            case _:
                at += if_true if _holds(opcode, found, value) else if_false


def _holds(opcode: int, found: int, value: int) -> bool:
    return {
        seccomp._IF_EQUAL: found == value,
        seccomp._IF_GREATER: found > value,
        seccomp._IF_AT_LEAST: found >= value,
        seccomp._IF_ANY_BIT: bool(found & value),
    }[opcode]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_filter_answers_as_it_should(architecture: str) -> None:
    column = ARCHITECTURES[architecture]
    for numbers in syscalls.DENIED.values():
        number = numbers[column]
        assert number is None or answer(architecture, number) == EPERM
    read, getpid = {"x86_64": (0, 39), "aarch64": (63, 172)}[architecture]
    assert answer(architecture, read) == answer(architecture, getpid) == ALLOW
    assert answer(architecture, syscalls.NEWEST_KNOWN) == ALLOW
    assert answer(architecture, syscalls.NEWEST_KNOWN + 1) == ENOSYS
    assert answer(architecture, syscalls.CLONE3[column]) == ENOSYS


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_filter_looks_at_arguments(architecture: str) -> None:
    column = ARCHITECTURES[architecture]
    clone, pair = syscalls.CLONE[column], syscalls.SOCKETPAIR[column]
    assert answer(architecture, clone, 0x0001_0000 | 0x3D0F00) == ALLOW
    assert answer(architecture, clone, signal.SIGCHLD) == EPERM
    unix, inet, stream, datagram, cloexec = 1, 2, 1, 2, 0o2000000
    assert answer(architecture, pair, unix, stream | cloexec) == ALLOW
    assert answer(architecture, pair, unix, datagram) == EPERM
    assert answer(architecture, pair, inet, stream) == EPERM
    numbers = {name: each[column] for name, each in syscalls.TAKES_A_PROCESS.items()}
    for name, number in numbers.items():
        assert number is not None
        assert answer(architecture, number, PID) == ALLOW
        assert answer(architecture, number, 1) == EPERM
        assert answer(architecture, number, 2**32 - 1) == EPERM, "kill(-1) is everybody"
        assert answer(architecture, number, 0) == (ALLOW if name == "prlimit64" else EPERM)


def test_the_table_is_of_this_kernel() -> None:
    """Numbers are right for the machine at hand: a filtered call fails, an unfiltered one works."""

    def act() -> None:
        privileges.forbid_new_privileges()
        seccomp.install_filter()
        libc = ctypes.CDLL(None, use_errno=True)
        column = ARCHITECTURES[machine()]
        for name, numbers in syscalls.DENIED.items():
            if numbers[column] is not None and name != "vhangup":
                assert libc.syscall(numbers[column], -1, -1, -1, -1, -1, -1) == -1
                assert ctypes.get_errno() == errno.EPERM, name

    assert in_child(act) == 0


def test_without_namespaces_the_other_layers_hold() -> None:
    """As in a container that forbids them: no private root, no pid namespace."""

    def act() -> None:
        privileges.forbid_new_privileges()
        number = syscalls.DENIED["unshare"][ARCHITECTURES[machine()]]
        load_number = seccomp._step(seccomp._LOAD, seccomp._NUMBER)
        refuse_unshare = b"".join(seccomp._refuse(number, errno.EPERM))
        seccomp.install_program(load_number + refuse_unshare + seccomp._return(ALLOW))
        with Sandbox(SETTINGS) as sandbox:
            for case in (*cases.DEATHS, *cases.INTRUDERS, *cases.VANDALS, cases.ENDLESS[0]):
                outcome = score(sandbox, case.entrypoint, case.config, case.timeout_ms)
                assert not verdict(outcome, case.expected), case
                assert score(sandbox, "hostile.good:Good").value == RATING * 10
            report = sandbox.report()
        assert any(line.startswith("mount namespace: unshare") for line in report.missing)
        still_open = {threat.name for threat in report.threats if not threat.enforced}
        assert still_open <= {"root"}, "a root worker stays root if nobody else can read Python"

    assert in_child(act) == 0


def test_a_work_folder_on_disk_is_empty_and_goes_away() -> None:
    with Sandbox(replace(SETTINGS, isolation="off")) as sandbox:
        details = [score(sandbox, "hostile.good:UsesItsRights").details for _ in range(2)]
    for found in details:
        assert found is not None
        assert found["files"] == ["kept"]
        assert not Path(found["cwd"]).exists()
