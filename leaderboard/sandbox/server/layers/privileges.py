"""Become another user, drop capabilities, and prevent gaining any."""

import ctypes
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from leaderboard.sandbox.server.layers.linux import (
    PR_CAPBSET_DROP,
    PR_SET_DUMPABLE,
    PR_SET_NO_NEW_PRIVS,
    LayerRefused,
    call,
    number,
    prctl,
)

# A gap in Debian's and systemd's ranges of ids. Each zygote has its own id, so that RLIMIT_NPROC
# and signals of one worker's scorers do not affect another's.
FIRST_UID, UIDS = 61000, 184
_CAPABILITY_VERSION_3 = 0x2008_0522


def uid_for(slot: int) -> int:
    """The unprivileged user and group id of a zygote. slot: a number that differs per zygote."""
    return FIRST_UID + slot % UIDS


def become_user(uid: int) -> None:
    """Give up root and become a user that owns nothing. Raises LayerRefused."""
    try:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    except OSError as error:
        raise LayerRefused(f"setresuid: {error.strerror}") from None


@contextmanager
def acting_as(uid: int | None) -> Iterator[None]:
    """Act as this user within the block (None: no change), to make and remove files.

    Root may lack the rights to change a file's owner and to read another user's folder.
    """
    if uid is None:
        yield
        return
    own = os.getegid(), os.geteuid()
    os.setegid(uid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(own[1])
        os.setegid(own[0])


def drop_capabilities() -> None:
    """Empty the effective, permitted and inheritable sets. Raises LayerRefused."""
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    call("capset", number("capset"), ctypes.create_string_buffer(header), bytes(24))


def shrink_bounding_set() -> None:
    """Remove every capability from the bounding set of this process and all that it forks.

    Needs CAP_SETPCAP. If the host refuses, nothing changes: no_new_privs alone then prevents
    programs from regaining capabilities.
    """
    with suppress(LayerRefused):
        for capability in range(64):  # EINVAL after the last one that the kernel knows
            prctl("capbset_drop", PR_CAPBSET_DROP, capability)


def forbid_new_privileges() -> None:
    """Let no setuid program give rights back, and no process of the same user inspect this one."""
    prctl("no_new_privs", PR_SET_NO_NEW_PRIVS, 1)
    prctl("dumpable", PR_SET_DUMPABLE, 0)
