"""The logs of an upload: one `.json` or `.eval`, or an archive or a folder of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from leaderboard.importers.reading.errors import ImportFailed, Unsafe
from leaderboard.importers.reading.json_place import JsonValue, ValuePath
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.zips import MAGIC as ZIP_MAGIC
from leaderboard.rules.texts.messages import message

HEADER: Final = "header.json"
START: Final = "_journal/start.json"
SUMMARIES: Final = "summaries.json"
EVAL: Final = "*.eval"
MOST_PEEKED: Final = 5
"""JSON files that show whether a folder contains logs."""


class InspectLog(NamedTuple):
    """A log without its samples, and the samples. name: of its file, as the upload calls it.

    archive: the `.eval` in the source that holds it. folder: of the files of its samples, which
    are `files`, if `samples` may be summaries.
    """

    name: str
    log: JsonValue
    samples: list[JsonValue]
    is_finished: bool
    archive: str = ""
    folder: str = ""
    files: frozenset[str] = frozenset()

    def messages_of(self, part: JsonValue) -> tuple[str, ValuePath] | None:
        """The file with the messages of a sample, and their path there; None if it has none.
        part: the sample, or its summary."""
        messages = part["messages"]
        if isinstance(messages.value, list) and messages.value:
            return messages.file, messages.path
        name = f"{self.folder}{part['id'].value}_epoch_{part['epoch'].value}.json"
        return (name, ("messages",)) if name in self.files and name != part.file else None


def holds_logs(source: Source) -> bool:
    """Whether a source is a log, or an archive or a folder with logs."""
    if source.single and source.document is not None:
        return is_log(source.document)
    if _prefixes(source) or any(_is_archive(source, name) for name in source.named(EVAL)):
        return True
    return any(_json_log(source, name) for name in _json_files(source)[:MOST_PEEKED])


def logs_in(source: Source) -> Iterator[InspectLog]:
    """Yield every log of a source. Raises ImportFailed for a broken one."""
    if source.single and source.document is not None:
        yield _of_document(source.names[0], source.document)
        return
    yield from _unpacked(source)
    for name in source.named(EVAL):
        if _is_archive(source, name):
            with closing(source.within(name)) as inner:
                yield from (log._replace(name=name, archive=name) for log in _unpacked(inner))
    for name in _json_files(source):
        if (part := _json_log(source, name)) is not None:
            yield _of_document(name, part)


def is_log(part: JsonValue) -> bool:
    return "eval" in part and "plan" in part and ("version" in part or "status" in part)


def _of_document(name: str, log: JsonValue) -> InspectLog:
    return InspectLog(name, log, list(log["samples"].items()), is_finished=True)


def _prefixes(source: Source) -> list[str]:
    """The folders of unpacked `.eval` logs, each with its `/`; "" for the source itself."""
    prefixes = {
        name.removesuffix(own)
        for own in (HEADER, START)
        for name in source.names
        if name == own or name.endswith(f"/{own}")
    }
    return sorted(prefixes, key=lambda prefix: (prefix.count("/"), prefix))


def _unpacked(source: Source) -> Iterator[InspectLog]:
    for prefix in _prefixes(source):
        yield _of_members(source, prefix)


def _of_members(source: Source, prefix: str) -> InspectLog:
    is_finished = f"{prefix}{HEADER}" in source
    log = source.json(f"{prefix}{HEADER if is_finished else START}")
    if not is_log(log):
        raise log.fail(message("must have eval and plan"))
    folder = f"{prefix}samples/"
    files = [name for name in source.names if fnmatchcase(name, f"{folder}*_epoch_*.json")]
    return InspectLog(
        prefix.rstrip("/") or source.label,
        log,
        _samples(source, f"{prefix}{SUMMARIES}", files),
        is_finished,
        folder=folder,
        files=frozenset(files),
    )


def _samples(source: Source, summaries: str, files: Sequence[str]) -> list[JsonValue]:
    if summaries in source:
        return list(source.json(summaries).items())
    return [source.json(name) for name in files]


def _json_files(source: Source) -> list[str]:
    """The JSON files that are not part of an unpacked log."""
    unpacked = tuple(_prefixes(source))
    names = source.named("*.json")
    return [name for name in names if not unpacked or not name.startswith(unpacked)]


def _json_log(source: Source, name: str) -> JsonValue | None:
    part = source.try_json(name)
    return part if part is not None and is_log(part) else None


def _is_archive(source: Source, name: str) -> bool:
    """Whether a file is a zip with a log; zips such as Excel sheets have none."""
    with closing(source.pieces(name)) as pieces:
        if not next(pieces, b"").startswith(ZIP_MAGIC):
            return False
    try:
        with closing(source.within(name)) as inner:
            return bool(_prefixes(inner))
    except Unsafe:
        raise
    except ImportFailed:
        return False
