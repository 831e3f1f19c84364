"""Landlock: a list of the files that a child may open; the kernel refuses all others.

Needs Linux 5.13 or later and no privilege. A newer ABI number means that the kernel knows more
rights; rights that it does not know are left out of the ruleset.
"""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from contextlib import suppress

from leaderboard.sandbox.server.layers.linux import (
    LANDLOCK_ADD_RULE,
    LANDLOCK_CREATE_RULESET,
    LANDLOCK_RESTRICT_SELF,
    LayerRefused,
    call,
)

_GET_VERSION = 1
_RULE_PATH_BENEATH = 1

_EXECUTE = 1
_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_FILE = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_RENAME, _TRUNCATE = 1 << 13, 1 << 14
_RIGHTS_BY_ABI = {1: 13, 2: 14, 3: 15, 5: 16}
_CONNECT_AND_BIND_TCP = 0b11  # ABI 4
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11  # ABI 6

_READ = _READ_FILE | _READ_DIR
_OF_A_FILE = _EXECUTE | _READ_FILE | _WRITE_FILE | _TRUNCATE
# Running programs and making devices, sockets or links stay forbidden in the working folder too.
_WORK = (
    _READ | _WRITE_FILE | _TRUNCATE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_FILE | _RENAME
)


def abi() -> int:
    """The kernel's Landlock version, 1 or more. Raises LayerRefused without Landlock."""
    return call("landlock", LANDLOCK_CREATE_RULESET, None, 0, _GET_VERSION)


def restrict_files(
    readable: Iterable[str], writable: Iterable[str], executable: Iterable[str] = ()
) -> None:
    """Restrict this process permanently to what `make_ruleset` allows. Needs no_new_privs."""
    ruleset = make_ruleset(readable, writable, executable)
    try:
        restrict_to(ruleset)
    finally:
        os.close(ruleset)


def restrict_to(ruleset: int) -> None:
    """Restrict this process permanently to what a ruleset allows. Needs no_new_privs."""
    call("landlock_restrict_self", LANDLOCK_RESTRICT_SELF, ruleset, 0)


def make_ruleset(
    readable: Iterable[str], writable: Iterable[str], executable: Iterable[str] = ()
) -> int:
    """Make a ruleset; returns its descriptor.

    The ruleset allows reading below `readable`, reading and writing below `writable`, executing
    programs below `executable`, and no other access to files.

    Ignores paths that do not exist. Also refuses TCP, abstract sockets and signals to other
    processes if the kernel's ABI knows these rights. If a file system will be mounted on a folder
    later, allow the folder above it.
    """
    version = abi()
    handled = (
        1 << max(count for first_abi, count in _RIGHTS_BY_ABI.items() if first_abi <= version)
    ) - 1
    ruleset = _create_ruleset(version, handled)
    try:
        for path in readable:
            _allow(ruleset, path, _READ & handled)
        for path in writable:
            _allow(ruleset, path, _WORK & handled)
        for path in executable:
            _allow(ruleset, path, _EXECUTE & handled)
    except LayerRefused:
        os.close(ruleset)
        raise
    return ruleset


def _create_ruleset(version: int, handled: int) -> int:
    fields = [handled]
    if version >= 4:
        fields.append(_CONNECT_AND_BIND_TCP)
    if version >= 6:
        fields.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    return call("landlock_create_ruleset", LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0)


def _allow(ruleset: int, path: str, rights: int) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            is_folder = stat.S_ISDIR(os.fstat(folder).st_mode)
            _add_rule(ruleset, folder, rights if is_folder else rights & _OF_A_FILE)
        finally:
            os.close(folder)


def _add_rule(ruleset: int, folder: int, rights: int) -> None:
    attributes = ctypes.create_string_buffer(struct.pack("=Qi", rights, folder), 12)
    call("landlock_add_rule", LANDLOCK_ADD_RULE, ruleset, _RULE_PATH_BENEATH, attributes, 0)
