"""The facts of an attempt for ranking, read back from its standing."""

from __future__ import annotations

from typing import Final

from leaderboard.models import ScoringConfig
from leaderboard.rules.ranking.places import NOT_COUNTING, Facts
from leaderboard.rules.ranking.standing_draft import StandingDraft
from leaderboard.rules.rewards.cells import coverage

BARRED: Final = ("withdrawn", "disqualified", "failed", "not_succeeded", *NOT_COUNTING[1:])
"""Reasons to be unranked that do not depend on values."""


def own_facts(config: ScoringConfig, line: StandingDraft) -> Facts:
    """An attempt's own values for ranking, read from its standing."""
    reason = line.place.unranked if line.place.unranked in BARRED else None
    out = {key for key, cell in line.cells.items() if "not_ranked" in cell}
    low = [key for key in out if line.cells[key]["not_ranked"] == "low_coverage"]
    return Facts(
        line.attempt_id,
        line.reached_at,
        reason != "not_succeeded",
        {key: value for key, value in line.values.items() if key not in out},
        failed=reason == "failed",
        withdrawn=reason == "withdrawn",
        disqualified=reason == "disqualified",
        coverage=coverage([key.key for key in config.own_ranking.keys], line.cells),
        low_coverage=low,
        not_counting=NOT_COUNTING[NOT_COUNTING.index(reason)] if reason in NOT_COUNTING else "",
    )
