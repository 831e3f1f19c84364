"""Remove working folders, even if a plugin has made that difficult."""

import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from math import inf
from time import monotonic


def remove_tree(folder: str, seconds: float = inf) -> bool:
    """Remove a folder and everything in it, as far as its owner may; raises no OSError.

    seconds: how long to remove. Returns whether that was enough.

    A plugin can make folders that cannot be read, and nest them a thousand deep: too deep for a
    recursion, for a path, and for one open descriptor per level. So each folder is opened up and
    its own folders are moved to the top. The processes that could still change it have ended.
    """
    until = monotonic() + seconds
    with suppress(OSError):
        os.chmod(folder, 0o700)
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            if not _is_emptied(top, until):
                return False
        finally:
            os.close(top)
        os.rmdir(folder)
    return True


def _is_emptied(top: int, until: float) -> bool:
    """Remove what is in a folder; False if there was no time for all of it."""
    moved = map(f"{secrets.token_hex(8)}-{{}}".format, count())
    while names := os.listdir(top):
        removed = 0
        for name in names:
            if monotonic() > until:
                return False
            removed += _is_removed(top, name, moved)
        if not removed:
            break
    return True


def _is_removed(top: int, name: str, moved: Iterator[str]) -> bool:
    """Remove a file, or a folder whose own folders are moved to the top under new names."""
    try:
        if not _unlinked(top, name):
            _take_apart(top, name, moved)
            os.rmdir(name, dir_fd=top)
    except OSError:
        return False
    return True


def _take_apart(top: int, name: str, moved: Iterator[str]) -> None:
    inside = _opened(top, name)
    try:
        for entry in os.listdir(inside):
            if not _unlinked(inside, entry):
                os.chmod(entry, 0o700, dir_fd=inside)  # a folder that moves is written to
                os.rename(entry, next(moved), src_dir_fd=inside, dst_dir_fd=top)
    finally:
        os.close(inside)


def _opened(parent: int, name: str) -> int:
    os.chmod(name, 0o700, dir_fd=parent)
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)


def _unlinked(parent: int, name: str) -> bool:
    """Remove anything but a folder; False for a folder."""
    try:
        os.unlink(name, dir_fd=parent)
    except (IsADirectoryError, PermissionError):  # POSIX says EPERM for a folder, Linux EISDIR
        return False
    return True
