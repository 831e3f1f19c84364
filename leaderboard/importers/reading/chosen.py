"""The files of an upload that are of a format, among all that an archive may hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from leaderboard.importers.reading.errors import ImportFailed, Unsafe, problem_of
from leaderboard.importers.reading.json_place import Part
from leaderboard.importers.reading.source import Source
from leaderboard.rules.texts.messages import message

Fits = Callable[[Any], bool]
"""Whether the value of a JSON document has the format."""


def any_document(source: Source, patterns: Iterable[str], fits: Fits, most: int = 20) -> bool:
    """Whether a single file, or one of the first few with these names, is JSON of the format."""
    if source.single:
        return source.document is not None and fits(source.document.value)
    parts = map(source.try_json, source.named(*patterns)[:most])
    return any(part is not None and fits(part.value) for part in parts)


def documents(
    source: Source, patterns: Iterable[str], fits: Fits, missing: str, warnings: list[str]
) -> Iterator[Part]:
    """The documents of the format; files of an archive that are not JSON cause a warning.

    missing: the error for an upload without any, such as `must contain runs of MLflow; got …`.
    """
    found = False
    for name in source.named(*patterns):
        try:
            part = source.json(name)
        except Unsafe:
            raise
        except ImportFailed as error:
            if source.single:
                raise
            warnings.append(message("left out: {error}", error=problem_of(error)))
            continue
        if fits(part.value):
            found = True
            yield part
    if not found:
        raise ImportFailed(with_first(missing, warnings), file=source.label)


def with_first(problem: str, warnings: Sequence[str]) -> str:
    """What is wrong with an upload, with the first warning, if any, as the reason."""
    if not warnings:
        return problem
    return message("{problem}: {reason}", problem=problem, reason=warnings[0])


def require(recognised: bool, source: Source, missing: str) -> None:
    """Raise ImportFailed if an upload does not have the chosen format.

    missing: the error, as in `documents`.
    """
    if not recognised:
        source.complain_of_json()
        raise ImportFailed(missing, file=source.label)
