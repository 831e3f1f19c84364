"""The board of an arena, as far as a reader may know it."""

from __future__ import annotations

from typing import NamedTuple

from leaderboard.models import Arena, Participant
from leaderboard.rules.statistics.arenas import ArenaRow
from leaderboard.services.board.reading.rows import RowParticipant
from leaderboard.services.competition.visible.board import VisibleBoard


class VisibleArenaRow(NamedTuple):
    """A row of an arena with its participant, under the name that the reader sees."""

    participant: RowParticipant
    row: ArenaRow


class VisibleArena(NamedTuple):
    """An arena and its rows; none where the board is hidden from the reader."""

    arena: Arena
    rows: list[VisibleArenaRow]


def arena_of(board: VisibleBoard) -> VisibleArena | None:
    """The arena of a challenge; None if nobody has voted yet, or the board is hidden."""
    arena = Arena.objects.filter(challenge=board.challenge.pk).first()
    if arena is None or not board.is_whole:
        return None
    ids = [row["system"] for row in arena.rows]
    fields = ("pk", "handle", "slug", "name", "kind")
    stored = Participant.objects.filter(pk__in=ids).values_list(*fields)
    names = {
        row[0]: board.access.row_participant(RowParticipant(*row), board.phase_id) for row in stored
    }
    rows = [
        VisibleArenaRow(names[row["system"]], row) for row in arena.rows if row["system"] in names
    ]
    return VisibleArena(arena, rows)
