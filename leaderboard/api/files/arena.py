"""The board of an arena as JSON."""

from __future__ import annotations

from typing import TypedDict

from leaderboard.api.files.board_shapes import ParticipantJson
from leaderboard.api.files.boards import moment, participant_json
from leaderboard.rules.statistics.arenas import NotRated
from leaderboard.services.competition.arena.reading import VisibleArena, VisibleArenaRow


class ArenaRowJson(TypedDict):
    """A participant of an arena; see `ArenaRowSerializer`."""

    participant: ParticipantJson
    rank: int | None
    rank_interval_all: list[int | None] | None
    rating: float | None
    interval: list[float | None] | None
    votes: int
    not_rated: NotRated | None


class ArenaJson(TypedDict):
    """The board of an arena; see `ArenaSerializer`."""

    votes: int
    voters: int
    computed_at: str | None
    is_current: bool
    rows: list[ArenaRowJson]


def arena_json(visible: VisibleArena | None) -> ArenaJson:
    """The arena as JSON; one without rows for None."""
    if visible is None:
        return {"votes": 0, "voters": 0, "computed_at": None, "is_current": True, "rows": []}
    arena = visible.arena
    return {
        "votes": arena.votes,
        "voters": arena.voters,
        "computed_at": moment(arena.computed_at) if arena.computed_at else None,
        "is_current": arena.is_current,
        "rows": [_row(row) for row in visible.rows],
    }


def _row(visible: VisibleArenaRow) -> ArenaRowJson:
    row = visible.row
    has_ends = row["low"] is not None
    return {
        "participant": participant_json(visible.participant),
        "rank": row["rank"],
        "rank_interval_all": [row["best"], row["worst"]] if has_ends else None,
        "rating": row["rating"],
        "interval": [row["low"], row["high"]] if has_ends else None,
        "votes": row["votes"],
        "not_rated": row["not_rated"],
    }
