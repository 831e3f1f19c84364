"""Finds the format of a trajectory and reads its steps, some at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.json_place import parse
from leaderboard.importers.transcripts.steps import TranscriptReader, TranscriptStep
from leaderboard.rules.plugins.modules import offered


@dataclass(frozen=True)
class Transcript:
    """A trajectory whose format is known."""

    reader: TranscriptReader
    items: Sequence[Mapping[str, Any]]

    def __len__(self) -> int:
        return len(self.items)

    def steps(self, start: int, most: int) -> list[TranscriptStep]:
        """Up to `most` steps after the first `start`."""
        return [self.reader.step(item) for item in self.items[start : start + most]]


@cache
def known_readers() -> Mapping[str, TranscriptReader]:
    """Every format of this folder, by key."""
    readers: Mapping[str, TranscriptReader] = offered("leaderboard.importers.transcripts", "READER")
    return readers


def read_transcript(content: bytes) -> Transcript | None:
    """The trajectory in a file; None if it is not JSON, or has no steps of a known format."""
    try:
        document = parse(content, "").value
    except ImportFailed:
        return None
    for reader in known_readers().values():
        items = reader.items(document)
        if items:
            return Transcript(reader, items)
    return None
