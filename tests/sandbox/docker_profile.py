"""Apply a seccomp profile as a Docker engine does, by the library that engines use: libseccomp.

`python -m tests.sandbox.docker_profile UID CAPABILITIES COMMAND… < profile.json` executes the
command under the profile, with only these capabilities (`SETUID,KILL`, or `-` for none).
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Callable, Collection
from ctypes.util import find_library
from typing import Any

Rule = dict[str, Any]

NUMBERS = {"SETGID": 6, "SETUID": 7, "KILL": 5}
"""Capabilities that a container may be given here, by the kernel's numbers."""
LAST_CAPABILITY = 40

_ALLOW, _ERRNO = 0x7FFF_0000, 0x0005_0000
_COMPARE = {
    f"SCMP_CMP_{name}": number
    for number, name in enumerate(("NE", "LT", "LE", "EQ", "GE", "GT", "MASKED_EQ"), start=1)
}
_DROP_BOUNDING, _NO_NEW_PRIVS, _KEEP_CAPS, _AMBIENT, _RAISE = 24, 38, 8, 47, 2
_VERSION_3 = 0x2008_0522


class _Comparison(ctypes.Structure):
    _fields_ = [
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    ]


def libseccomp() -> ctypes.CDLL | None:
    name = find_library("seccomp")
    return ctypes.CDLL(name, use_errno=True) if name else None


def applies(rule: Rule, capabilities: Collection[str], architecture: str) -> bool:
    """Return whether a rule applies to a container with these capabilities (`CAP_KILL`)."""
    asked, without = rule.get("includes", {}), rule.get("excludes", {})
    return (
        set(asked.get("caps", ())) <= set(capabilities)
        and (not asked.get("arches") or architecture in asked["arches"])
        and not set(without.get("caps", ())) & set(capabilities)
        and architecture not in without.get("arches", ())
    )


def load(profile: Rule, capabilities: Collection[str], architecture: str = "amd64") -> None:
    """Apply a profile to this process; it cannot be undone. Call names that the library does not
    know are skipped, as engines do."""
    library = libseccomp()
    assert library is not None
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(_ERRNO | profile.get("defaultErrnoRet", 1)))
    add = library.seccomp_rule_add_array
    for rule in profile["syscalls"]:
        if not applies(rule, capabilities, architecture):
            continue
        allowed = rule["action"] == "SCMP_ACT_ALLOW"
        action = ctypes.c_uint32(_ALLOW if allowed else _ERRNO | rule.get("errnoRet", 1))
        compared = [
            _Comparison(
                comparison["index"],
                _COMPARE[comparison["op"]],
                comparison["value"],
                comparison.get("valueTwo", 0),
            )
            for comparison in rule.get("args") or ()
        ]
        array = (_Comparison * len(compared))(*compared)
        for name in rule["names"]:
            number = library.seccomp_syscall_resolve_name(name.encode())
            if number >= 0:
                wrong = add(context, action, ctypes.c_int(number), len(compared), array)
                assert wrong == 0, (name, wrong)
    wrong = library.seccomp_load(context)
    assert wrong == 0, wrong


def become(uid: int, kept: Collection[str]) -> None:
    """Switch to another user that has these capabilities and can gain no others."""
    libc = ctypes.CDLL(None, use_errno=True)
    numbers = {NUMBERS[name] for name in kept}
    for number in set(range(LAST_CAPABILITY + 1)) - numbers:
        _checked(libc.prctl, _DROP_BOUNDING, number, 0, 0, 0)
    os.setgroups([])
    _checked(libc.prctl, _KEEP_CAPS, 1, 0, 0, 0)
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    mask = sum(1 << number for number in numbers)
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    data = (ctypes.c_uint32 * 6)(mask, mask, mask, 0, 0, 0)
    _checked(libc.capset, header, data)
    for number in numbers:
        _checked(libc.prctl, _AMBIENT, _RAISE, number, 0, 0)
    _checked(libc.prctl, _NO_NEW_PRIVS, 1, 0, 0, 0)


def _checked(call: Callable[..., int], *arguments: Any) -> None:
    if call(*arguments) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(arguments))


def main() -> None:
    uid, names, *command = sys.argv[1:]
    kept = [] if names == "-" else names.split(",")
    profile = json.load(sys.stdin)
    become(int(uid), kept)
    load(profile, [f"CAP_{name}" for name in kept])
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
