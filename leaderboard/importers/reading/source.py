"""What was uploaded, as a tree of named files that is safe to read."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from fnmatch import fnmatchcase
from functools import cached_property
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import IO, Final

from leaderboard.importers.reading.errors import ImportFailed, Unsafe, legible
from leaderboard.importers.reading.json_place import JsonValue, parse
from leaderboard.importers.reading.tars import GZIP, MAGIC, MAGIC_AT, Tar
from leaderboard.importers.reading.trees import MAX_BYTES, Folder, OneFile, Tree
from leaderboard.importers.reading.zips import MAGIC as ZIP_MAGIC
from leaderboard.importers.reading.zips import Zip
from leaderboard.rules.json.encodings import other_encoding
from leaderboard.rules.texts.messages import counted, message

BOM: Final = b"\xef\xbb\xbf"
_PEEKED: Final = 5
"""How many rows of a JSONL file are read to recognise it, as the first may be broken."""
_COMPLAINED: Final = 20
"""How many files of an archive are read to find one that is damaged."""
_JSON: Final = ("*.json", "*.jsonl", "*.ndjson")


class Source:
    """The named files of an upload. Close it, or use it in a `with`.

    label: the client's name for it, safe to show. names: of the files, relative, with `/`. notes:
    messages about entries that were left out. At most 200 MiB may be read in total, counted while
    they are inflated.
    """

    def __init__(self, label: str, tree: Tree) -> None:
        self.label = label
        self.names = tree.names
        self.notes = _notes(tree.skipped)
        self._name_set = frozenset(tree.names)
        self._tree = tree
        self._bytes_read: dict[str, int] = {}
        self._total = 0
        self._outer: Source | None = None

    @classmethod
    def open(cls, file: Path | bytes | IO[bytes], name: str = "") -> Source:
        """The files of a folder, of an archive (zip, tar, tar.gz), or the one file itself.

        file: a path, the bytes, or an open seekable file, which then belongs to the source.
        name: what the client calls it. Raises ImportFailed.
        """
        label = legible(Path(name or getattr(file, "name", "") or "upload").name)
        try:
            return cls(label, _tree(file, label))
        except Unsafe as error:
            raise error if error.file else Unsafe(error.message, file=label) from None
        except OSError as error:
            raise ImportFailed(
                message("must be readable; got an error: {reason}", reason=error.strerror),
                file=label,
            ) from None

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all files; nothing can be read after this."""
        self._tree.close()

    @cached_property
    def single(self) -> bool:
        """Whether it is a single file, alone or in an archive; its name does not matter."""
        return len(self.names) == 1

    def __contains__(self, name: str) -> bool:
        return name in self._name_set

    def named(self, *patterns: str) -> list[str]:
        """The files whose name, without folders, fits a pattern; those nearer the root first.

        A single file fits every pattern, because clients may choose any name.
        """
        fitting = [
            name
            for name in self.names
            if self.single
            or any(fnmatchcase(name.rpartition("/")[2], pattern) for pattern in patterns)
        ]
        return sorted(fitting, key=lambda name: (name.count("/"), name))

    def beside(self, name: str, own: str) -> str:
        """The file with this name in the folder of another file; "" if there is none."""
        folder = name.rpartition("/")[0]
        wanted = f"{folder}/{own}" if folder else own
        return wanted if wanted in self._name_set and not self.single else ""

    def pieces(self, name: str) -> Generator[bytes]:
        """The bytes of a file. Raises ImportFailed, and Unsafe if too many were read in total."""
        read = 0
        for piece in self._tree.pieces(name):
            read += len(piece)
            self._count(name, read)
            yield piece

    def _count(self, name: str, read: int) -> None:
        """Count bytes; those that are read again count once."""
        fresh = max(0, read - self._bytes_read.get(name, 0))
        self._bytes_read[name] = self._bytes_read.get(name, 0) + fresh
        self._add(fresh)

    def _add(self, fresh: int) -> None:
        self._total += fresh
        if self._total > MAX_BYTES:
            raise Unsafe(
                message("must hold at most {most} MiB; got more", most=MAX_BYTES >> 20),
                file=self.label,
            )
        if self._outer is not None:
            self._outer._add(fresh)

    def within(self, name: str) -> Source:
        """The files of an archive in this source; their bytes count here too. Close the result.
        Raises ImportFailed.
        """
        inner = Source.open(self.read(name), name)
        inner._outer = self
        return inner

    def read(self, name: str) -> bytes:
        """The whole of a file."""
        return b"".join(self.pieces(name))

    def lines(self, name: str) -> Generator[tuple[int, bytes]]:
        """Number and text of each line of a file that is not blank."""
        number, rest = 0, [b""]
        for piece in self.pieces(name):
            *whole, tail = piece.split(b"\n")
            for part in whole:
                number += 1
                line = b"".join([*rest, part])
                rest = []
                if line.strip():
                    yield number, line
            rest.append(tail)
        if (line := b"".join(rest)).strip():
            yield number + 1, line

    def json(self, name: str) -> JsonValue:
        """The JSON value of a file. Raises ImportFailed."""
        return self._document if self.single else parse(self.read(name), name)

    @cached_property
    def _document(self) -> JsonValue:
        (name,) = self.names
        return parse(self.read(name), name)

    def try_json(self, name: str) -> JsonValue | None:
        """The JSON value of a file; None if it is not JSON."""
        try:
            return self.json(name)
        except Unsafe:
            raise
        except ImportFailed:
            return None

    @cached_property
    def document(self) -> JsonValue | None:
        """The JSON value of a single file; None if it is not JSON, or not a single file."""
        return self.try_json(self.names[0]) if self.single else None

    @cached_property
    def rows(self) -> list[JsonValue]:
        """The first objects of a single file that has one on each line, whatever its name.

        A file with one line counts as such a file and as a document.
        """
        (name,) = self.names if self.single else ("",)
        if name and self._has_one_line(name):
            document = self.document
            return [document] if document and isinstance(document.value, dict) else []
        return list(self.peek(name)) if name else []

    def _has_one_line(self, name: str) -> bool:
        """Whether there is no second line that is not blank; such a file is not read twice."""
        whole, begun = 0, False
        for piece in self.pieces(name):
            first, *further = piece.split(b"\n")
            begun = begun or bool(first.strip())
            for other in further:
                whole, begun = whole + begun, bool(other.strip())
                if whole and begun:
                    return False
            if whole and begun:
                return False
        return True

    def peek(self, name: str) -> Iterator[JsonValue]:
        """The objects among the first lines of a file."""
        with closing(self.lines(name)) as lines:
            for _, (number, line) in zip(range(_PEEKED), lines, strict=False):
                try:
                    part = parse(line, name, number)
                except ImportFailed:
                    continue
                if isinstance(part.value, dict):
                    yield part

    def complain_of_encoding(self) -> None:
        """Raises ImportFailed when a single file is JSON in UTF-16 or UTF-32."""
        for name in self.names if self.single else ():
            self._complain_of_encoding(name)

    def _complain_of_encoding(self, name: str) -> None:
        with closing(self.pieces(name)) as pieces:
            if other_encoding(next(pieces, b"")):
                self.json(name)

    def complain_of_json(self) -> None:
        """Raises ImportFailed with file, line and column when a file only looks like JSON.

        In an archive, the first files that are called JSON are read.
        """
        for name in self.named(*_JSON)[:_COMPLAINED]:
            self._complain_of_encoding(name)
            with closing(self.lines(name)) as lines:
                start = next((line for _, line in lines), b"")
            if self._is_only_like_json(name, start):
                self.json(name)

    def _is_only_like_json(self, name: str, start: bytes) -> bool:
        """Whether a file begins like JSON, but its first lines are no objects. Some tools call
        files .json that have a JSON value on each line.
        """
        if start.removeprefix(BOM).lstrip()[:1] not in (b"{", b"["):
            return False
        return not (self.rows if self.single else any(True for _ in self.peek(name)))


def _tree(file: Path | bytes | IO[bytes], label: str) -> Tree:
    if isinstance(file, Path):
        if file.is_dir():
            return Folder(file)
        file = file.open("rb")
    opened = BytesIO(file) if isinstance(file, bytes) else file
    opened.seek(0)
    start = opened.read(MAGIC_AT + len(MAGIC))
    opened.seek(0)
    if start.startswith(ZIP_MAGIC):
        return Zip(opened)
    if start.startswith(GZIP) or start[MAGIC_AT:] == MAGIC:
        return Tar(opened)
    return OneFile(label, opened)


def _notes(skipped: int) -> list[str]:
    if not skipped:
        return []
    return [
        counted(
            "{count} link or device was left out",
            "{count} links or devices were left out",
            skipped,
        )
    ]
