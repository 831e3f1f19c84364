"""Namespaces separate the zygote and its children from the host's network, processes and mounts.

The zygote enters them once, so that they cost a fresh child nothing.
"""

import os
import socket
from contextlib import suppress

from leaderboard.sandbox.contract import HOST_NAME, IPC, MOUNTS, NETWORK, PROCESSES, USERS
from leaderboard.sandbox.server.layers.linux import (
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    CLONE_NEWUTS,
    LayerRefused,
    call,
)

_FLAGS = {
    NETWORK: CLONE_NEWNET,
    PROCESSES: CLONE_NEWPID,
    MOUNTS: CLONE_NEWNS,
    IPC: CLONE_NEWIPC,
    HOST_NAME: CLONE_NEWUTS,
}

_SETFCAP = 31
_NAME = "plugins"


def enter_namespaces() -> tuple[set[str], dict[str, str]]:
    """Leave the host's namespaces as far as the host allows.

    Returns the names of the entered ones, and those refused with the reasons. The pid namespace
    takes effect from the next fork on: the first child is the new namespace's init. Without root,
    or without its capabilities, a user namespace gives the right to enter the others.
    """
    if os.geteuid() == 0:
        entered, refused = _enter_each()
        if entered:
            return entered, refused
    try:
        _enter_users()
    except LayerRefused as error:
        return set(), dict.fromkeys([*_FLAGS, USERS], str(error))
    entered, refused = _enter_each()
    return entered | {USERS}, refused


def _enter_each() -> tuple[set[str], dict[str, str]]:
    entered, refused = set(), {}
    for name, flag in _FLAGS.items():
        try:
            _unshare(flag)
            entered.add(name)
        except LayerRefused as error:
            refused[name] = str(error)
    if HOST_NAME in entered:
        with suppress(OSError):  # the copy of the host's name, which may tell where it belongs
            socket.sethostname(_NAME)
    return entered, refused


def _unshare(flags: int) -> None:
    call("unshare", "unshare", flags)


def _enter_users() -> None:
    """Enter a user namespace in which this process keeps its ids and has all capabilities.

    Root keeps its id only with CAP_SETFCAP. Without its id it could not become another user, so
    this raises LayerRefused before it enters the namespace.
    """
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0 and not _has_capability(_SETFCAP):
        raise LayerRefused("root needs CAP_SETFCAP to keep its id in a user namespace")
    _unshare(CLONE_NEWUSER)
    try:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{uid} {uid} 1")
        _write("/proc/self/gid_map", f"{gid} {gid} 1")
    except OSError as error:
        raise LayerRefused(f"{error.filename}: {error.strerror}") from None


def _has_capability(number: int) -> bool:
    with open("/proc/self/status", encoding="ascii", errors="replace") as lines:
        held = next((line.split()[1] for line in lines if line.startswith("CapEff:")), "0")
    return bool(int(held, 16) >> number & 1)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def leave_mounts_and_ipc(layers: set[str]) -> None:
    """Give a child its own mount and IPC namespaces: its mounts and shared memory end with it."""
    flags = sum(_FLAGS[name] for name in (MOUNTS, IPC) if name in layers)
    if flags:
        _unshare(flags)
