"""Where the named files of an upload are: one file, a folder, a zip or a tar archive.

Nothing is extracted to disk and no link is followed, so an archive reaches no other files. A tree
has the names of its files, and yields the bytes of a file in pieces.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import IO, Final, Protocol

from leaderboard.importers.reading.errors import Unsafe
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent

MAX_ENTRIES: Final = 10_000
MAX_BYTES: Final = 200 * 2**20
PIECE: Final = 64 * 1024


class Tree(Protocol):
    """Named files. `skipped` counts the links and devices among them, which are left out."""

    names: tuple[str, ...]
    skipped: int

    def pieces(self, name: str) -> Iterator[bytes]:
        """The bytes of a file. Raises Unsafe when they cannot be read."""

    def close(self) -> None:
        """Close all files."""


class OneFile:
    """A single file, under its own name."""

    skipped = 0

    def __init__(self, name: str, file: IO[bytes]) -> None:
        self.names: tuple[str, ...] = (name,)
        self._file = file

    def pieces(self, name: str) -> Iterator[bytes]:
        self._file.seek(0)
        while piece := self._file.read(PIECE):
            yield piece

    def close(self) -> None:
        self._file.close()


class Folder:
    """A folder of this machine, for imports by command."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.skipped = 0
        names = []
        for name in self._walk(root):
            names.append(checked_name(name))
            check_entries(len(names))
        self.names = tuple(sorted(names))

    def _walk(self, folder: Path) -> Iterator[str]:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    yield from self._walk(Path(entry.path))
                elif entry.is_file(follow_symlinks=False):
                    yield Path(entry.path).relative_to(self._root).as_posix()
                else:
                    self.skipped += 1

    def pieces(self, name: str) -> Iterator[bytes]:
        try:
            descriptor = os.open(self._root / name, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError as error:
            raise Unsafe(
                message("must be readable; got an error: {reason}", reason=error.strerror),
                file=name,
            ) from None
        with os.fdopen(descriptor, "rb") as file:
            while piece := file.read(PIECE):
                yield piece

    def close(self) -> None:
        """Do nothing, because no file stays open."""


class SomeFiles(Folder):
    """Some files of a folder of this machine, by other names.

    paths: where each is, relative to the folder. A path that leads elsewhere, and one where no file
    is, is left out.
    """

    def __init__(self, root: Path, paths: Mapping[str, str]) -> None:
        self._root = root
        self.skipped = 0
        self._paths = {name: path for name, path in paths.items() if _is_within(root, path)}
        self.names = tuple(sorted(self._paths))

    def pieces(self, name: str) -> Iterator[bytes]:
        return super().pieces(self._paths[name])


def _is_within(root: Path, path: str) -> bool:
    """Whether a relative path names a file of a folder, without a link on the way."""
    try:
        file = root / checked_name(path)
        return file.is_file() and file.resolve().is_relative_to(root.resolve())
    except (Unsafe, OSError, ValueError):
        return False


def check_entries(count: int) -> None:
    """Raise Unsafe for too many entries."""
    if count > MAX_ENTRIES:
        raise Unsafe(message("must hold at most {most} entries; got more", most=MAX_ENTRIES))


def checked_name(name: str) -> str:
    """The name of an entry, relative and with `/`. Raises Unsafe when it leads elsewhere."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if name.startswith(("/", "\\")) or re.match("[A-Za-z]:", name) or ".." in parts:
        raise Unsafe(
            message(
                "must be a path within the archive, not absolute and without '..'; got {name}",
                name=sent(name),
            ),
            file=name,
        )
    return "/".join(parts)


def unique(names: Iterable[str]) -> tuple[str, ...]:
    """The names, sorted. Raises Unsafe for duplicate names, which are ambiguous."""
    ordered = sorted(names)
    for name, following in pairwise(ordered):
        if name == following:
            raise Unsafe(message("must stand once in the archive; got it twice"), file=name)
    return tuple(ordered)
