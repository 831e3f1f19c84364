"""The mean of a participant's last attempts, as a standing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leaderboard.models import ScoringConfig
from leaderboard.rules.ranking.places import RANKED, StandingPlace, place
from leaderboard.rules.ranking.standing_draft import StandingDraft
from leaderboard.rules.rewards.cells import BoardCell
from leaderboard.rules.rewards.finite_mean import finite_mean
from leaderboard.services.board.standings.own_facts import own_facts


def mean_of(config: ScoringConfig, lines: Sequence[StandingDraft]) -> StandingDraft:
    """One standing with the mean values of some attempts; it shows the first of them.

    lines: of one participant, those that can be ranked first, each time the latest first. Attempts
    that cannot be ranked do not count towards a mean. A value that some attempts lack is the mean
    over those that have it. A mean has no interval.
    """
    first = lines[0]
    ranked = [line for line in lines if line.place.pick_key.startswith(RANKED)]
    if len(ranked) < 2:
        return first
    values, cells = dict(first.values), dict(first.cells)
    for key in {key for line in ranked for key in line.values}:
        those = [line for line in ranked if _counts(line, key)]
        if those:
            values[key] = finite_mean([line.values[key] for line in those])
        known_cells = [line.cells[key] for line in those if key in line.cells]
        if known_cells:
            cells[key] = _cell(known_cells)
    mean = replace(first, values=values, cells=cells)
    mean_place = place(config.ranking, own_facts(config, mean))
    return replace(
        mean, place=StandingPlace(mean_place.sort_key, first.place.pick_key, mean_place.unranked)
    )


def _counts(line: StandingDraft, key: str) -> bool:
    return key in line.values and "not_ranked" not in line.cells.get(key, {})


def _cell(cells: Sequence[BoardCell]) -> BoardCell:
    """The cell of a mean of metric values: it has the least coverage, and no interval."""
    least = min(cells, key=lambda cell: cell["defined"] / (cell["total"] or 1))
    cell = BoardCell(
        defined=least["defined"], total=least["total"], interval_reason="not_estimated"
    )
    if "level" in least:
        cell["level"] = least["level"]
    if failed := sum(attempt_cell.get("failed", 0) for attempt_cell in cells):
        cell["failed"] = failed
    return cell
