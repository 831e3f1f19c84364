"""The board of an arena as JSON."""

from __future__ import annotations

from typing import Any

from leaderboard.api.files.boards import moment, participant_json
from leaderboard.services.competition.arena.reading import VisibleArena, VisibleArenaRow


def arena_json(visible: VisibleArena | None) -> dict[str, Any]:
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


def _row(visible: VisibleArenaRow) -> dict[str, Any]:
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
