"""Attacks that a hostile scorer would try, one per function, for `report.py`.

A successful attack returns what it did; a stopped one raises. Each runs in a fresh child. `target`
describes what the host has prepared to be attacked.
"""

import ctypes
import json
import mmap
import os
import socket
import sys
import time
from collections.abc import Callable
from typing import BinaryIO, NoReturn

from leaderboard.sandbox.child.quiet_attacks import QUIET, Stopped
from leaderboard.sandbox.jobs import AttackJob, AttackTarget
from leaderboard.sandbox.server.layers.linux import CLONE_NEWUSER, LayerRefused, call

Attack = Callable[[AttackTarget], str]


def answer_attack(job: AttackJob, requests: BinaryIO, write: Callable[[str], None]) -> None:
    """`{"open": true, "note": what}` if the attack succeeded, else `{"open": false, ...}`."""
    try:
        note = ATTACKS[job["attack"]](job["target"])
        answer = {"open": True, "note": note}
    except (OSError, LayerRefused, Stopped, MemoryError, ValueError) as error:
        answer = {"open": False, "note": str(error) or type(error).__name__}
    write(json.dumps(answer))


def connect_tcp(target: AttackTarget) -> str:
    socket.create_connection(("127.0.0.1", target["tcp_port"]), 1).close()
    return "connected to a local port"


def send_udp(target: AttackTarget) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"out", ("127.0.0.1", target["udp_port"]))
    return "sent a datagram to a local port"


def connect_unix(target: AttackTarget) -> str:
    return _connect_unix(target["unix_path"])


def connect_abstract(target: AttackTarget) -> str:
    return _connect_unix("\0" + target["abstract_name"])


def _connect_unix(address: str) -> str:
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(address)
    return "connected to a unix socket"


def write_outside(target: AttackTarget) -> str:
    return _write(os.path.join(target["open_folder"], "written"))


def write_shared_memory(target: AttackTarget) -> str:
    return _write(os.path.join("/dev/shm", target["abstract_name"]))  # noqa: S108


def _write(path: str) -> str:
    with open(path, "x", encoding="ascii") as file:
        file.write("written")
    os.unlink(path)
    return "wrote a file outside of the working folder"


def read_files(target: AttackTarget) -> str:
    refused = "there is none to read"
    for path in target["files"]:
        try:
            with open(path, "rb") as file:
                file.read(1)
        except OSError as error:
            refused = str(error)
        else:
            return f"read {os.path.basename(path)}"
    raise Stopped(refused)


def read_others_plugins(target: AttackTarget) -> str:
    with open(target["others_plugin"], "rb") as file:
        file.read(1)
    return "read the plugin of somebody else"


def read_environment_of_worker(target: AttackTarget) -> str:
    for pid in (target["worker"], os.getppid()):
        with open(f"/proc/{pid}/environ", "rb") as file:
            file.read(1)
    return "read the environment of the worker"


def look_into_processes(target: AttackTarget) -> str:
    here = ctypes.create_string_buffer(b"here", 8)
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(here), 8)
    refused = "there is none to look into"
    for pid in (os.getppid(), target["victim"]):
        for ask in (
            ("process_vm_readv", pid, vector, 1, vector, 1, 0),
            ("ptrace", _PTRACE_SEIZE, pid, None, None),
        ):
            try:
                call(ask[0], *ask)
            except LayerRefused as error:
                refused = str(error)
            else:
                return "looked into another process"
    raise Stopped(refused)


_PTRACE_SEIZE = 0x4206


def kill_others(target: AttackTarget) -> str:
    os.kill(target["victim"], 9)
    return "killed another process of the worker"


def take_memory(target: AttackTarget) -> str:
    mmap.mmap(-1, target["memory_bytes"] + (64 << 20)).close()
    return "was given more memory than the limit"


def write_big_file(target: AttackTarget) -> str:
    with open("big", "wb") as file:
        os.pwrite(file.fileno(), b"x", target["file_bytes"] + 1)
    return "wrote a file larger than the limit"


def fork_many(target: AttackTarget) -> str:
    for _ in range(_MANY):
        if os.fork() == 0:
            time.sleep(_LINGER)
            os._exit(0)
    return f"started {_MANY} processes"


_MANY, _LINGER = 120, 5.0


def leave_daemon(target: AttackTarget) -> str:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(_LINGER)
        os._exit(0)
    os.wait()
    return "left a daemon behind"


def run_program(target: AttackTarget) -> NoReturn:
    path = next(filter(os.path.exists, [*_PROGRAMS, sys.executable]))
    os.execv(path, [path, "--version"])  # noqa: S606


_PROGRAMS = (
    *("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"),
    *("/bin/true", "/usr/bin/true"),
)


def make_user_namespace(target: AttackTarget) -> str:
    call("unshare", "unshare", CLONE_NEWUSER)
    return "made a user namespace"


def use_io_uring(target: AttackTarget) -> str:
    call("io_uring_setup", 425, 1, ctypes.create_string_buffer(120))
    return "set up an io_uring"


def search_environment(target: AttackTarget) -> str:
    extra_names = set(os.environ) - set(target["environment"])
    if not extra_names:
        raise Stopped("nothing of the worker's in the environment")
    return "found in the environment: " + ", ".join(sorted(extra_names))


def search_descriptors(target: AttackTarget) -> str:
    descriptors = [number for number in range(5, 1024) if _is_open(number)]
    if not descriptors:
        raise Stopped("no descriptor but its own")
    return f"found descriptors {descriptors[:5]}"


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def become_root(target: AttackTarget) -> str:
    os.setuid(0)
    return "is root"


def run_for_ever(target: AttackTarget) -> NoReturn:
    while True:
        try:
            while True:
                pass
        except BaseException:  # noqa: S112
            continue


ATTACKS: dict[str, Attack] = {
    "tcp": connect_tcp,
    "udp": send_udp,
    "unix sockets": connect_unix,
    "abstract sockets": connect_abstract,
    "writing files": write_outside,
    "shared memory": write_shared_memory,
    "reading files": read_files,
    "others' plugins": read_others_plugins,
    "worker's environment": read_environment_of_worker,
    "looking into processes": look_into_processes,
    "killing processes": kill_others,
    "memory": take_memory,
    "file size": write_big_file,
    "processes": fork_many,
    "daemons": leave_daemon,
    "programs": run_program,
    "user namespaces": make_user_namespace,
    "io_uring": use_io_uring,
    "secrets in the environment": search_environment,
    "inherited descriptors": search_descriptors,
    "root": become_root,
    **QUIET,
    "time": run_for_ever,
}
