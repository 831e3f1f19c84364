"""A private root: a small file system with Python, its packages and the plugins, all read-only.

It does not contain anything else: no settings, `.env`, database file, sockets or `/proc`. Its
parent folders are new, so that another user can read an interpreter in a private home folder.
"""

import os
import struct
from collections.abc import Iterable, Mapping

from leaderboard.sandbox.server.layers.linux import MOUNT_SETATTR, LayerRefused, call, number

WORK = "/run/scorer"
"""The child's working folder in the new root: a file system of its own that ends with the child."""

# The new root is mounted here first, as every host has this folder and no plugin is in it.
_STAGE = "/sys"
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

_RDONLY, _NOSUID, _NODEV, _NOEXEC = 1, 2, 4, 8
_REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 0x20, 0x1000, 0x4000, 0x40000
_DETACH = 2
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000


_NO_MOUNTS: Mapping[str, str] = {}


def build_root(
    readable: Iterable[str], mounts: Mapping[str, str] = _NO_MOUNTS, scratch: Iterable[str] = ()
) -> list[str]:
    """Make a root that contains only `readable` (absolute files and folders) at the same paths.

    mounts: folders that appear at other paths, by these paths. scratch: mount points for
    `mount_scratch`; returns those that are free, because nothing readable is below them. Needs a
    mount namespace of its own. Raises LayerRefused; the old root then stays in use.
    """
    _mount(None, "/", None, _RECURSIVE | _PRIVATE)
    _mount("tmpfs", _STAGE, "tmpfs", _NOSUID | _NODEV, "mode=755,size=1m")
    for path in _outermost(readable):
        _show(path, path)
    for path, source in mounts.items():
        _show(source, path)
    free = [path for path in scratch if not os.path.exists(_STAGE + path)]
    for path in free:
        os.makedirs(_STAGE + path)
    for device in filter(os.path.exists, _DEVICES):
        _bind(device, _STAGE + device)
    os.makedirs(_STAGE + WORK)
    _enter()
    _read_only("/", recursive=False)
    return free


def mount_work(size: int, files: int, uid: int) -> None:
    """Mount an empty working folder for one child, owned by `uid`: at most `size` bytes in `files`
    files."""
    options = f"mode=700,size={size},nr_inodes={files},uid={uid},gid={uid}"
    try:
        _mount("tmpfs", WORK, "tmpfs", _NOSUID | _NODEV | _NOEXEC, options)
    except LayerRefused:
        _mount("tmpfs", WORK, "tmpfs", _NOSUID | _NODEV | _NOEXEC, f"mode=700,size={size}")


def mount_scratch(paths: Iterable[str], uid: int) -> None:
    """Show new folders of the working folder at other paths; they share its limits."""
    for path in paths:
        folder = os.path.join(WORK, os.path.basename(path))
        os.mkdir(folder, 0o700)
        os.chown(folder, uid, uid)
        _mount(folder, path, None, _BIND)


def _outermost(paths: Iterable[str]) -> list[str]:
    """Existing paths and their real paths, without those below another one."""
    existing = {path for path in paths if os.path.exists(path)}
    kept: list[str] = []
    for path in sorted(existing | {os.path.realpath(path) for path in existing}):
        if not any(path == other or path.startswith(other + "/") for other in kept):
            kept.append(path)
    return kept


def _show(source: str, path: str) -> None:
    target = _STAGE + path
    _bind(os.path.realpath(source), target)
    _read_only(target, recursive=True)


def _bind(source: str, target: str) -> None:
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "xb"):
            pass
    _mount(source, target, None, _BIND | _RECURSIVE)


def _read_only(target: str, *, recursive: bool) -> None:
    attributes = struct.pack("=4Q", _RDONLY | _NOSUID | (_NODEV if recursive else 0), 0, 0, 0)
    depth = _AT_RECURSIVE if recursive else 0
    path = os.fsencode(target)
    try:
        call("mount_setattr", MOUNT_SETATTR, _AT_FDCWD, path, depth, attributes, len(attributes))
    except LayerRefused:  # before Linux 5.12: file systems mounted deeper stay writable
        flags = _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV
        _mount(None, target, None, flags)


def _enter() -> None:
    os.chdir(_STAGE)
    try:
        call("pivot_root", number("pivot_root"), b".", b".")
        call("umount", "umount2", b".", _DETACH)
    except LayerRefused:  # the host runs from its boot image (initramfs), which cannot be unmounted
        _change_root()
    os.chdir("/")


def _change_root() -> None:
    try:
        os.chroot(".")
    except OSError as error:
        raise LayerRefused(f"chroot: {error.strerror}") from None


def _mount(
    source: str | None, target: str, kind: str | None, flags: int, options: str | None = None
) -> None:
    source_, target_, kind_, options_ = (
        None if text is None else os.fsencode(text) for text in (source, target, kind, options)
    )
    call(f"mount {target}", "mount", source_, target_, kind_, flags, options_)
