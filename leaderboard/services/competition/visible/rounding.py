"""Rows of a board and results of attempts whose numbers a reader does not see exactly."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

from leaderboard.models import Score, ScoringConfig
from leaderboard.rules.rewards.cells import BoardCell, coverage
from leaderboard.rules.rewards.reductions import MetricValue
from leaderboard.rules.visibility.view import PhaseView
from leaderboard.rules.visibility.withholding import (
    rounded,
    rounded_cell,
    rounded_value,
    withheld_cell,
)
from leaderboard.services.board.reading.rows import BoardRow


def inexact_row(row: BoardRow, view: PhaseView, config: ScoringConfig, *, is_own: bool) -> BoardRow:
    """A row with the numbers that a reader may see.

    Of others' rows only ranked and computed values are left: from facts and reported values one
    could compute a score.
    """
    if view.least_coverage is not None and share_covered(config, row.cells) < view.least_coverage:
        cells = {key: withheld_cell(cell) for key, cell in row.cells.items()}
        return row._replace(values={}, cells=cells, stored={})
    if view.decimals is None:
        return row
    decimals, ranked = view.decimals, {"score", *config.ranked_keys}
    values = {}
    for key, value in row.values.items():
        if key in row.cells or key in ranked:
            values[key] = rounded(value, decimals)
        elif is_own:
            values[key] = value
    cells = {key: rounded_cell(cell, decimals) for key, cell in row.cells.items()}
    return row._replace(values=values, cells=cells, stored={})


def share_covered(config: ScoringConfig, values: Mapping[str, MetricValue | BoardCell]) -> float:
    """The share of the tasks that a score with these metric values covers."""
    return coverage([key.key for key in config.own_ranking.keys], values)


def rounded_copy(score: Score, decimals: int) -> Score:
    """A copy of a score, not to be saved, with rounded numbers and without texts about them."""
    copied = copy(score)
    copied.value = None if score.value is None else rounded(score.value, decimals)
    copied.raw_value = None if score.raw_value is None else rounded(score.raw_value, decimals)
    copied.metric_values = rounded_values(score.metric_values, decimals)
    copied.details, copied.details_note, copied.error_message = None, "", ""
    copied.error_detail = copied.output = ""
    return copied


def rounded_values(values: Mapping[str, MetricValue], decimals: int) -> dict[str, MetricValue]:
    """Metric values by key, rounded."""
    return {key: rounded_value(value, decimals) for key, value in values.items()}
