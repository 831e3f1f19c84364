"""Participants of an upload whose names are kept in another spelling than they were sent in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from leaderboard.importers import ImportedAttempt
from leaderboard.importers.errors import shown


class Spelling(NamedTuple):
    """The name of a participant as it was sent, and as it is kept."""

    sent: str
    kept: str


class RenamedRow(NamedTuple):
    """The number of a row whose participant is kept in another spelling, from 0."""

    row: int
    participant: Spelling


def renamed_rows(
    attempts: Sequence[ImportedAttempt], kept_by_source: Mapping[str, str], given: str
) -> Iterator[RenamedRow]:
    """kept_by_source: the kept name by source id, "" where the attempt was there before.

    given: the name that was sent with the file, if any.
    """
    for at, one in enumerate(attempts):
        sent, kept = given or one.sent or one.participant, kept_by_source[one.source_id]
        if kept and kept != sent:
            yield RenamedRow(at, Spelling(sent, kept))


def told_renamed(renamed: Sequence[RenamedRow]) -> Iterator[str]:
    """A warning for each name."""
    for sent, kept in dict.fromkeys(each.participant for each in renamed):
        yield f"the participant “{shown(sent)}” is kept as “{kept}”"
