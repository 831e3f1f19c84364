"""Tar archives, plain or gzipped."""

from __future__ import annotations

import gzip
import re
import tarfile
import zlib
from collections.abc import Iterator
from typing import IO, Final, cast

from leaderboard.importers.reading.errors import ImportFailed, Unsafe
from leaderboard.importers.reading.trees import MAX_BYTES, check_entries, checked_name, unique
from leaderboard.rules.texts.messages import message

GZIP: Final = b"\x1f\x8b"
MAGIC: Final = b"ustar"
MAGIC_AT: Final = 257

KEPT: Final = (
    *(".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".py", ".xml", ".yaml"),
    *(".run", ".qrels", ".trec", ".eval"),
)
"""The files that a format may read. Others are counted and dropped."""
NAMED: Final = (".log",)
"""Files of which only the name is kept: their presence shows that a run was begun."""

KEPT_FOLDERS: Final = re.compile(r"(^|/)(metrics|params|tags)/")
"""Of MLflow's runs, whose files have no endings."""

_BROKEN = (
    tarfile.TarError,
    zlib.error,
    EOFError,
    IndexError,
    OSError,
    OverflowError,
    RecursionError,
    ValueError,
)
"""What the readers raise for an invalid archive."""


class Tar:
    """A tar archive, read once from front to end: it has no table of contents."""

    def __init__(self, file: IO[bytes]) -> None:
        self.skipped = 0
        self._kept: list[tuple[str, bytes]] = []
        reached = ""
        try:
            with tarfile.open(fileobj=_counted(file), mode="r|") as archive:
                for count, member in enumerate(archive, 1):
                    check_entries(count)
                    reached = checked_name(member.name)
                    self._keep(archive, member, reached)
        except ImportFailed:
            raise
        except _BROKEN:
            if reached:
                raise Unsafe(
                    message("must be complete; got a file that is cut off or damaged"), file=reached
                ) from None
            raise Unsafe(
                message("must be a proper tar or tar.gz archive; got another file")
            ) from None
        self.names = unique(name for name, _ in self._kept)
        self._files = dict(self._kept)
        file.close()

    def _keep(self, archive: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> None:
        if member.isdir():
            return
        if not member.isreg() or member.issparse():
            self.skipped += 1
        elif name.lower().endswith(NAMED):
            self._kept.append((name, b""))
        elif _is_kept(name) and (opened := archive.extractfile(member)):
            self._kept.append((name, opened.read()))

    def pieces(self, name: str) -> Iterator[bytes]:
        yield self._files[name]

    def close(self) -> None:
        self._files.clear()


def _is_kept(name: str) -> bool:
    return name.lower().endswith(KEPT) or KEPT_FOLDERS.search(name) is not None


def _counted(file: IO[bytes]) -> IO[bytes]:
    start = file.read(len(GZIP))
    file.seek(0)
    inflated = gzip.GzipFile(fileobj=file) if start == GZIP else file
    return cast("IO[bytes]", _Counted(cast("IO[bytes]", inflated)))


class _Counted:
    """A stream that ends the import when too much comes out of it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._left = MAX_BYTES

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(min(size, self._left + 1) if size >= 0 else self._left + 1)
        self._left -= len(piece)
        if self._left < 0:
            raise Unsafe(
                message("must inflate to at most {most} MiB; got more", most=MAX_BYTES >> 20)
            )
        return piece
