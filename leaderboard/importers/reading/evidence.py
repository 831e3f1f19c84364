"""Which parts of a source show how its samples went, and what they hold."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from functools import reduce
from itertools import groupby
from typing import NotRequired

from typing_extensions import TypedDict

from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.json_place import ValuePath
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.source import Source


class EvidencePart(TypedDict):
    """A file of a source, or a value in a JSON file, that shows how a sample went.

    kind: as in `SampleRun.evidence`. path: of the value in the file. archive: the archive in the
    source that has the file.
    """

    task: str
    sample: int
    kind: str
    file: str
    path: NotRequired[ValuePath]
    archive: NotRequired[str]


def trajectory_of(
    row: SampleRow, place: tuple[str, ValuePath] | None, archive: str = ""
) -> Iterator[EvidencePart]:
    """The trajectory of a sample, which is a value in a JSON file. place: file and path; None if
    there is none."""
    if place is None:
        return
    file, path = place
    part: EvidencePart = {
        "task": row["task"],
        "sample": row["sample"],
        "kind": "trajectory",
        "file": file,
        "path": path,
    }
    yield {**part, "archive": archive} if archive else part


def name_of(part: EvidencePart) -> str:
    """The name under which a part is kept: that of its file, or of the field with its value."""
    path = part.get("path")
    return f"{path[-1]}.json" if path else part["file"].rpartition("/")[2]


def contents_of(
    source: Source, parts: Iterable[EvidencePart], most: int
) -> Iterator[tuple[EvidencePart, bytes]]:
    """Each part with its content: b"" for one that cannot be read or has more than `most` bytes.

    A JSON file with the values of several parts that follow each other is read once.
    """
    for archive, inside in groupby(parts, key=lambda part: part.get("archive", "")):
        try:
            opened = closing(source.within(archive)) if archive else nullcontext(source)
        except ImportFailed:
            yield from ((part, b"") for part in inside)
            continue
        with opened as tree:
            for (file, is_value), same in groupby(inside, key=_place):
                if is_value:
                    yield from _values(tree, file, same, most)
                else:
                    yield from ((part, _file(tree, file, most)) for part in same)


def _place(part: EvidencePart) -> tuple[str, bool]:
    return part["file"], "path" in part


def _values(
    source: Source, file: str, parts: Iterable[EvidencePart], most: int
) -> Iterator[tuple[EvidencePart, bytes]]:
    try:
        document = source.json(file)
    except ImportFailed:
        yield from ((part, b"") for part in parts)
        return
    for part in parts:
        try:
            value = reduce(lambda place, key: place[key], part["path"], document).value
        except ImportFailed:
            value = None
        yield part, _as_json(value, most)


def _as_json(value: Sequence[object] | Mapping[str, object] | None, most: int) -> bytes:
    if not value:
        return b""
    # A half of a surrogate pair, which UTF-8 cannot have, stays an escape of JSON.
    content = json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace")
    return content if len(content) <= most else b""


def _file(source: Source, file: str, most: int) -> bytes:
    read = bytearray()
    try:
        with closing(source.pieces(file)) as pieces:
            for piece in pieces:
                read += piece
                if len(read) > most:
                    return b""
    except ImportFailed:
        return b""
    return bytes(read)
