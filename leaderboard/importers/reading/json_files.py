"""The JSON files of a format, among all that an upload may hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, Unsafe
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.trees import PIECE
from leaderboard.rules.texts.messages import message

TRANSCRIPTS: Final = ("samples", "_journal", "summaries")
"""Folders of inspect-ai's logs."""


@dataclass(frozen=True)
class JsonFiles:
    """The JSON documents of a format.

    fits: whether a document has the format; one that is broken in what this reads has not.
    patterns: of the names of files; a single file may have any name. marks: texts that the first
    64 KiB of each of its files hold, so that large files of other formats are not read. looked_at:
    how many files of an archive are read to recognise the format.
    """

    fits: Callable[[JsonValue], bool]
    patterns: Sequence[str] = ("*.json",)
    marks: Sequence[bytes] = ()
    looked_at: int = 20

    def recognise(self, source: Source) -> bool:
        """Whether an upload is, or holds, a document of the format."""
        if source.single:
            return self._has_format(source.document)
        files = islice(self._files(source), self.looked_at)
        return any(
            self._has_format(source.try_json(name))
            for name in files
            if self._has_marks(source, name)
        )

    def documents(
        self, source: Source, leave_out: Callable[[ImportFailed], None]
    ) -> Iterator[JsonValue]:
        """The documents of the format.

        Raises ImportFailed for a broken file that is alone or has the marks; others of an archive
        are left out, and `leave_out` is told why.
        """
        for name in self.marked(source):
            try:
                document = source.json(name)
            except Unsafe:
                raise
            except ImportFailed as error:
                if self.marks or source.single:
                    raise
                leave_out(error)
                continue
            if self.fits(document):
                yield document

    def marked(self, source: Source) -> Iterator[str]:
        """The files that have the marks; a single file needs none."""
        for name in self._files(source):
            if source.single or self._has_marks(source, name):
                yield name

    def _files(self, source: Source) -> Iterator[str]:
        """The files with these names, without the large transcripts in inspect-ai's logs."""
        for name in source.named(*self.patterns):
            folder = "" if source.single else name.rpartition("/")[0].rpartition("/")[2]
            if not self.marks or folder not in TRANSCRIPTS:
                yield name

    def _has_marks(self, source: Source, name: str) -> bool:
        if not self.marks:
            return True
        with closing(source.pieces(name)) as pieces:
            start = next(pieces, b"")[:PIECE]
        return all(mark in start for mark in self.marks)

    def _has_format(self, document: JsonValue | None) -> bool:
        try:
            return document is not None and self.fits(document)
        except Unsafe:
            raise
        except ImportFailed:
            return False


def require(recognised: bool, source: Source, missing: str) -> None:
    """Raise ImportFailed if an upload does not have the chosen format.

    missing: the error, such as `must contain runs of MLflow; got a file without any`.
    """
    if not recognised:
        source.complain_of_json()
        raise ImportFailed(missing, file=source.label)


def with_first(problem: str, warnings: Sequence[str]) -> str:
    """What is wrong with an upload, with the first warning, if any, as the reason."""
    if not warnings:
        return problem
    return message("{problem}: {reason}", problem=problem, reason=warnings[0])
