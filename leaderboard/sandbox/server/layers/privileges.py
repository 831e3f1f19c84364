"""Another user, no capabilities, no way to gain any."""

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

# A gap in Debian's and systemd's ranges of ids; one id per zygote, so that RLIMIT_NPROC and
# signals of one worker's scorers do not reach another's.
FIRST_UID, UIDS = 61000, 184
_CAPABILITY_VERSION_3 = 0x2008_0522


def uid_for(slot: int) -> int:
    """The unprivileged user (and group) id of a zygote, by any number that tells zygotes apart."""
    return FIRST_UID + slot % UIDS


def become_user(uid: int) -> None:
    """Give up root for an id that owns nothing."""
    try:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    except OSError as error:
        raise LayerRefused(f"setresuid: {error.strerror}") from None


@contextmanager
def acting_as(uid: int | None) -> Iterator[None]:
    """Make and remove files as this user, None for oneself: root may lack the right to give files
    away, and to look into another's folder."""
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
    """Empty the effective, permitted and inheritable sets."""
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    call("capset", number("capset"), ctypes.create_string_buffer(header), bytes(24))


def shrink_bounding_set() -> None:
    """Take every capability out of the bounding set, for this process and all that it forks.

    Needs CAP_SETPCAP. Where the host refuses, it stays as it is: no_new_privs alone then keeps
    programs from giving capabilities back.
    """
    with suppress(LayerRefused):
        for capability in range(64):  # up to the last one that the kernel knows: EINVAL
            prctl("capbset_drop", PR_CAPBSET_DROP, capability)


def forbid_new_privileges() -> None:
    """No setuid program gives rights back, and no process of the same user may look inside."""
    prctl("no_new_privs", PR_SET_NO_NEW_PRIVS, 1)
    prctl("dumpable", PR_SET_DUMPABLE, 0)
