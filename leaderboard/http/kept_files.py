"""Files of boards that were rendered once, and are streamed from the disk while nothing changes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import IO, Final

from django.conf import settings

LEAST_BYTES: Final = 64 * 1024
"""A smaller file costs less to render than to keep."""
MOST_BYTES: Final = 256 * 1024 * 1024
"""What the files of a host take in all; the oldest are deleted."""
KEPT_SECONDS: Final = 3600
_PIECE: Final = 256 * 1024


def kept(name: str, render: Iterable[bytes]) -> Iterator[bytes]:
    """The bytes of a file, from the disk if it was rendered to its end before, else as rendered.

    name: of exactly these bytes, such as an ETag that everything in them decides.
    """
    path = _folder() / sha256(name.encode()).hexdigest()
    try:
        file = path.open("rb")
    except OSError:
        yield from _keeping(path, render)
        return
    with file:
        while piece := file.read(_PIECE):
            yield piece


def forget_files() -> None:
    """Delete all of them."""
    for path in _folder().glob("*"):
        path.unlink(missing_ok=True)


def _keeping(path: Path, render: Iterable[bytes]) -> Iterator[bytes]:
    """Pass on what is rendered, and store it; a client that leaves early leaves nothing."""
    with _Draft(path) as draft:
        for piece in render:
            draft.add(piece)
            yield piece
        draft.finish()


class _Draft:
    """A file that is being rendered. Where it cannot be written, it is not kept."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._draft = path.with_name(f"{token_hex(8)}.draft")
        self._file: IO[bytes] | None = None
        self._start: list[bytes] | None = []  # None: it is written, or cannot be
        self._size = 0

    def __enter__(self) -> _Draft:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._draft.unlink(missing_ok=True)

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > MOST_BYTES:
            self.__exit__()
            self._file = None
        elif self._file is not None:
            self._write(piece)
        elif self._start is not None:
            self._start.append(piece)
            if self._size > LEAST_BYTES:
                self._begin()

    def finish(self) -> None:
        """Keep the whole file, if it is worth it."""
        if self._file is None:
            return
        with suppress(OSError):
            self._file.close()
            self._draft.replace(self._path)
            _make_room(self._path.parent)

    def _begin(self) -> None:
        start, self._start = self._start or [], None
        with suppress(OSError):
            self._draft.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self._draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            self._file = os.fdopen(descriptor, "wb")
            for piece in start:
                self._write(piece)

    def _write(self, piece: bytes) -> None:
        try:
            if self._file is not None:
                self._file.write(piece)
        except OSError:
            self.__exit__()
            self._file = None


def _make_room(folder: Path) -> None:
    """Delete old files, and the oldest of too many."""
    files = sorted(
        ((path.stat().st_mtime, path.stat().st_size, path) for path in folder.glob("*")),
        reverse=True,
    )
    total = 0
    for changed_at, size, path in files:
        total += size
        if total > MOST_BYTES or changed_at < time.time() - KEPT_SECONDS:
            path.unlink(missing_ok=True)


def _folder() -> Path:
    return Path(settings.DATA_DIR, "rendered")
