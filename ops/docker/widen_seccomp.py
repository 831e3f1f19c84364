"""Extend Docker's seccomp profile by the system calls that plugins' namespaces need.

    python3 ops/docker/widen_seccomp.py < default.json > podium-seccomp.json

Reads the default profile of a Docker engine and writes it with a few more rules: processes without
any capability outside may enter namespaces and mount file systems in them. All other rules of the
default stay unchanged. Only the worker needs this profile: see docs/deploy.md.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Final

Rule = dict[str, Any]

NAMESPACES: Final = 0x7C02_0000
"""CLONE_NEWUSER, NEWNS, NEWPID, NEWNET, NEWIPC and NEWUTS: the only flags allowed for `unshare`."""

ALL_64_BITS: Final = 2**64 - 1

REFUSED: Final = "SCMP_ACT_ERRNO"
ALLOWED: Final = "SCMP_ACT_ALLOW"

ADDED: Final[list[Rule]] = [
    {
        "names": ["unshare"],
        "action": ALLOWED,
        "args": [
            {
                "index": 0,
                "value": ALL_64_BITS ^ NAMESPACES,
                "valueTwo": 0,
                "op": "SCMP_CMP_MASKED_EQ",
            }
        ],
        "comment": "Podium: namespaces for plugins, and nothing else that unshare knows",
    },
    {
        "names": ["chroot", "mount", "mount_setattr", "pivot_root", "umount2"],
        "action": ALLOWED,
        "comment": "Podium: a root of their own. Outside of a namespace they need capabilities",
    },
]


class NoDefaultProfile(ValueError):
    """The input is no profile that can be extended; the text says why."""


def widened(profile: Any) -> Rule:
    """The profile with `ADDED` after its own rules. Raises NoDefaultProfile."""
    if not isinstance(profile, dict) or not isinstance(profile.get("syscalls"), list):
        raise NoDefaultProfile("it has no list of syscalls")
    if profile.get("defaultAction") != REFUSED:
        raise NoDefaultProfile(f"its defaultAction must be {REFUSED}: a list of what is allowed")
    return {**profile, "syscalls": [*profile["syscalls"], *ADDED]}


def main() -> int:
    try:
        profile = widened(json.load(sys.stdin))
    except ValueError as error:
        sys.stderr.write(f"This is no default profile of Docker: {error}\n")
        return 1
    sys.stdout.write(json.dumps(profile, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
