"""Notices when a file of a plugin package is added, changed or removed."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

from django.conf import settings

from leaderboard.sandbox.host.fork_servers import PROJECT
from leaderboard.version import VERSION

SECONDS: Final = 0.5
"""How long stamps count, because scoring asks for them often and looking takes a millisecond."""


class Stamps(NamedTuple):
    """A hash for each kind of plugin, which changes with each file that may define one."""

    scorers: str = ""
    metrics: str = ""
    text_metrics: str = ""
    prediction_metrics: str = ""

    @property
    def written(self) -> str:
        """All of them in one text, separated by spaces."""
        return " ".join(self)


_FOLDERS: Final = {
    "metrics": "metrics",
    "text": "text_metrics",
    "predictions": "prediction_metrics",
}
"""The folders, or modules, of a package with plugins of a kind; all others may have scorers."""

_lock = Lock()
_last: tuple[float, tuple[object, ...], Stamps] = (-SECONDS, (), Stamps())


def current_stamps() -> Stamps:
    """The stamps of the files of all plugin packages, at most half a second old.

    Lists of plugins are cached under them, so that a new file is offered at once.
    """
    global _last
    packages = (*settings.SCORER_PACKAGES, None, *map(str, settings.SCORER_PATH))
    with _lock:
        at, of, stamps = _last
        if of != packages or time.monotonic() - at > SECONDS:
            stamps = files_stamps()
            _last = (time.monotonic(), packages, stamps)
    return stamps


def files_stamps() -> Stamps:
    """The stamps of the files as they are now."""
    files: dict[str, list[tuple[str, int, int]]] = {kind: [] for kind in Stamps._fields}
    for kind, path in _files():
        with suppress(OSError):  # a file that was removed since the folder was listed
            info = os.stat(path)
            files[kind].append((str(path), info.st_size, info.st_mtime_ns))
    where = (VERSION, settings.SCORER_PACKAGES, list(map(str, settings.SCORER_PATH)))
    return Stamps(*(_hash((where, stamps)) for stamps in files.values()))


def _files() -> Iterator[tuple[str, Path]]:
    """The kind of plugin and the path of each file of the packages."""
    for folder in [PROJECT, *map(str, settings.SCORER_PATH)]:
        for package in settings.SCORER_PACKAGES:
            for path in sorted(Path(folder, package).glob("**/*.py")):
                first = path.relative_to(Path(folder, package)).parts[0].removesuffix(".py")
                yield _FOLDERS.get(first, "scorers"), path


def _hash(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()
