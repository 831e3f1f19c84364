"""Find participants of an upload whose names are stored in another spelling than was sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from leaderboard.importers import ImportedAttempt
from leaderboard.importers.reading.errors import legible
from leaderboard.rules.texts.messages import message


class Spelling(NamedTuple):
    """The name of a participant as it was sent, and as it is stored."""

    sent: str
    kept: str


class RenamedRow(NamedTuple):
    """A row, counted from 0, whose participant is stored in another spelling than was sent."""

    row: int
    participant: Spelling


def renamed_rows(
    attempts: Sequence[ImportedAttempt], kept_by_source: Mapping[str, str], given: str
) -> Iterator[RenamedRow]:
    """Yield the rows of an upload whose participants are stored in another spelling.

    kept_by_source: the stored name by source id, "" if the attempt existed before. given: the name
    that was sent with the file, if any.
    """
    for at, one in enumerate(attempts):
        sent, kept = given or one.sent or one.participant, kept_by_source[one.source_id]
        if kept and kept != sent:
            yield RenamedRow(at, Spelling(sent, kept))


def told_renamed(renamed: Sequence[RenamedRow]) -> Iterator[str]:
    """A warning for each renamed participant."""
    for sent, kept in dict.fromkeys(row.participant for row in renamed):
        yield message("the participant “{sent}” is kept as “{kept}”", sent=legible(sent), kept=kept)
