"""The files of an upload that are of a format, among all that an archive may hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from leaderboard.importers.errors import ImportFailed, Unsafe
from leaderboard.importers.part import Part
from leaderboard.importers.source import Source

Fits = Callable[[Any], bool]
"""Whether the plain value of a JSON document is of the format."""


def any_document(source: Source, patterns: Iterable[str], fits: Fits, most: int = 20) -> bool:
    """Whether a single file, or one of the first few of these names, is JSON that fits."""
    if source.single:
        return source.document is not None and fits(source.document.value)
    parts = map(source.try_json, source.named(*patterns)[:most])
    return any(part is not None and fits(part.value) for part in parts)


def documents(
    source: Source, patterns: Iterable[str], fits: Fits, what: str, warnings: list[str]
) -> Iterator[Part]:
    """Each document that fits; those of an archive that are no JSON are left out with a warning.

    what: the contents that are looked for, for the refusal of an upload without any.
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
            warnings.append(f"left out: {error}")
            continue
        if fits(part.value):
            found = True
            yield part
    if not found:
        why = f": {warnings[0]}" if warnings else ""
        raise ImportFailed(f"holds no {what}{why}", file=source.label)


def require(recognised: bool, source: Source, what: str) -> None:
    """Raises ImportFailed for an upload that is not of the format it is said to be."""
    if not recognised:
        source.complain_of_json()
        raise ImportFailed(f"holds no {what}", file=source.label)
