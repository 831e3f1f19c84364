"""Common functions of importers of evaluation tools: finding files and reading numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from itertools import islice
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, Unsafe
from leaderboard.importers.reading.finite import finite as finite
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.json_place import MAX_NAME, Part
from leaderboard.importers.reading.naming import participant_name
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import facts, sample, suggested
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import SuggestedFields, SuggestedMetric
from leaderboard.importers.reading.trees import PIECE
from leaderboard.rules.texts.messages import message

MAX_VALUE_NAME: Final = 80
TRANSCRIPTS: Final = ("samples", "_journal", "summaries")
"""Folders of inspect-ai's logs."""
LOOKED_AT: Final = 50
"""How many files of an archive are read to recognise its format."""

_NOT_IN_VALUE_NAMES: Final = re.compile(r"[^A-Za-z0-9_@^:.-]+")


def opening(source: Source, name: str) -> bytes:
    """The first bytes of a file, at most 64 KiB."""
    with closing(source.pieces(name)) as pieces:
        return next(pieces, b"")[:PIECE]


def listed(source: Source, pattern: str) -> Iterator[str]:
    """The files with this name, without the large transcripts in inspect-ai's logs."""
    for name in source.named(pattern):
        folders = name.split("/")[:-1]
        if source.single or not (folders and folders[-1] in TRANSCRIPTS):
            yield name


def marked(source: Source, pattern: str, *marks: bytes) -> Iterator[str]:
    """The files with this name whose first 64 KiB hold all marks; a single file needs no marks.

    So large files of other formats are not read.
    """
    for name in listed(source, pattern):
        if source.single or all(mark in opening(source, name) for mark in marks):
            yield name


def is_one(source: Source, pattern: str, fits: Callable[[Part], bool], *marks: bytes) -> bool:
    """Whether an upload is, or holds, a JSON document of a format.

    In an archive, the first 50 files with this name are read.
    """
    if source.single:
        return _fits(fits, source.document)
    return any(
        _fits(fits, source.try_json(name))
        for name in islice(listed(source, pattern), LOOKED_AT)
        if all(mark in opening(source, name) for mark in marks)
    )


def _fits(fits: Callable[[Part], bool], part: Part | None) -> bool:
    """Whether a document has a format; a broken document has none."""
    try:
        return part is not None and fits(part)
    except Unsafe:
        raise
    except ImportFailed:
        return False


def documents(
    source: Source, pattern: str, fits: Callable[[Part], bool], *marks: bytes
) -> Iterator[Part]:
    """The JSON documents of a format. Raises ImportFailed for a broken one that has the marks."""
    for name in marked(source, pattern, *marks):
        part = source.json(name)
        if fits(part):
            yield part


def put(rewards: dict[str, float | None], name: str, part: Part) -> None:
    """Add a reward, unless it is absent or NaN: such a reward is undefined.

    Raises ImportFailed for a value that is neither a number nor a boolean.
    """
    value = part.value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return
    rewards[name] = part.reward()


def value_name(text: str) -> str:
    """A valid name of a reported value: letters, digits and `_@^:.-`, at most 80."""
    return _NOT_IN_VALUE_NAMES.sub("_", text)[:MAX_VALUE_NAME].strip("_") or "value"


def task_name(part: Part, text: str) -> str:
    """The text as the name of a task; a long text is cut and gets a digest."""
    if len(text) > MAX_NAME:
        text = f"{text[: MAX_NAME - 9].strip()}-{digest(text)}"
    return part.checked(text)


def digest(text: str) -> str:
    """Eight hexadecimal digits of a text's hash."""
    return sha256(text.encode(errors="replace")).hexdigest()[:8]


def file_stem(name: str) -> str:
    """The own name of a file, without folders and `.json` or `.jsonl`."""
    own = name.rpartition("/")[2]
    return re.sub(r"\.jsonl?$", "", own)


def whose(participant: str, agent: str, model: str, file: str) -> str:
    """The participant of results: the given one, else `agent (model)`. Raises ImportFailed."""
    if participant or agent or model:
        return participant or participant_name(agent, model)
    raise ImportFailed(
        message("must be given, because neither the file nor its name says the model; got none"),
        file=file,
        field="participant",
    )


def distinct(names: Sequence[str]) -> list[str]:
    """The names; repeated ones get `#2`, `#3`, … at the end."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return found


def known(**meta: str) -> dict[str, str]:
    """The meta fields that are not empty."""
    return {key: value for key, value in meta.items() if value}


def broken(
    task: str,
    owed: Iterable[str],
    usage: Mapping[str, float | int | None] | None = None,
    error: str = "",
) -> SampleRow:
    """A failed sample. Each reward that the tool gives to every sample was not scored.

    Because these rewards are named, the failure counts in the mean of each of them.
    """
    return sample(task, dict.fromkeys(owed) or None, usage, error)


def totals(samples: Iterable[SampleRow]) -> dict[str, float | int]:
    """The usage of a whole attempt; see `samples.facts`. Here `broken` samples have failed too."""
    return facts(
        [each if any_scored(each["rewards"]) else {**each, "rewards": None} for each in samples]
    )


def any_scored(rewards: Mapping[str, float | None] | None) -> bool:
    """Whether a sample did not fail: it has a scored reward, or no names of rewards at all."""
    return rewards is not None and (not rewards or set(rewards.values()) != {None})


def state(
    values: dict[str, float],
    specs: dict[str, SuggestedMetric],
    one: SuggestedMetric,
    value: float | None,
) -> None:
    """Record a value from a file under the name of the metric that should equal it."""
    if value is not None:
        values[one["name"]], specs[one["name"]] = value, one


def challenge_for(
    attempts: Sequence[ImportedAttempt],
    metrics: Sequence[SuggestedMetric],
    shares: Iterable[str] = (),
) -> SuggestedFields:
    """Fields of a challenge that fit the attempts and rank by the first of the metrics.

    Without samples they rank by the first value; {} if there is nothing to rank by. shares: as for
    `suggested`.
    """
    return suggested(attempts, metrics, shares)
