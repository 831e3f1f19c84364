"""What exporters learn of a board before any row is read."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from leaderboard.columns import Column
from leaderboard.exporters import BoardOutline, ExportedColumn
from leaderboard.rules.visibility.view import Extent
from leaderboard.schemas.metrics import spec_of
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.evaluation.metrics import metric_of
from leaderboard.services.evaluation.value_bounds import value_bounds


def board_outline(board: VisibleBoard, columns: Sequence[Column]) -> BoardOutline:
    """The outline of a board with these columns."""
    challenge = board.challenge
    return BoardOutline(
        columns=[_column(board, column) for column in columns],
        dataset=challenge.dataset,
        dataset_url=challenge.dataset_url,
        has_task_rates=_has_task_rates(board, columns),
        has_attempts=board.view.attempts is Extent.ALL,
    )


def _column(board: VisibleBoard, column: Column) -> ExportedColumn:
    low, high = value_bounds(board.board.config, column.key)
    return ExportedColumn(
        key=column.key,
        label=column.label,
        description=column.description,
        direction=column.direction,
        unit=column.unit,
        ranked=column.ranked,
        low=low if isfinite(low) else None,
        high=high if isfinite(high) else None,
    )


def _has_task_rates(board: VisibleBoard, columns: Sequence[Column]) -> bool:
    """Whether the first ranked value may be a mean of rates of tasks, as its metric says."""
    ranked = next((column for column in columns if column.ranked), None)
    if ranked is None or board.board.counting == "mean":
        return False
    config = board.board.config
    low, high = value_bounds(config, ranked.key)
    is_rate = not isfinite(high) or (low, high) == (0.0, 1.0)
    return is_rate and metric_of(spec_of(ranked.key, config.metric_specs)) is not None
