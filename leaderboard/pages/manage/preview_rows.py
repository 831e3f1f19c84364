"""The first rows of a board as they would be with other columns and another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from django.http import HttpRequest

from leaderboard.columns import Column
from leaderboard.models import Challenge
from leaderboard.pages.charts.axes import TIME
from leaderboard.pages.shared.access import board_for
from leaderboard.pages.tables.board_table import TableCell, cells
from leaderboard.pages.tables.cell_texts import texts_of
from leaderboard.services.board.boards import current_board, shown_boards
from leaderboard.services.board.reading.rows import BoardRow

SHOWN: Final = 3
MOST_ROWS: Final = 200
"""The rows of the board that are put into the new order."""


class PreviewRow(NamedTuple):
    """A row with the values that its attempt has now; a value that is new is missing."""

    name: str
    cells: list[TableCell]


def preview_rows(
    request: HttpRequest, challenge: Challenge, columns: Sequence[Column]
) -> list[PreviewRow]:
    """The first rows by the columns that the board would rank by."""
    board = board_for(request, current_board(shown_boards(challenge)))
    rows = [row for row in board.page_from(0, limit=MOST_ROWS).rows if row.rank is not None]
    ranked = [column for column in columns if column.ranked]
    for column in reversed(ranked):
        rows.sort(key=lambda row, by=column: _place(by, row))  # type: ignore[misc]
    texts = texts_of(columns)
    return [
        PreviewRow(row.participant.shown_name, cells(texts, row.values, row.reached_at, row.cells))
        for row in rows[:SHOWN]
    ]


def _place(column: Column, row: BoardRow) -> tuple[bool, float]:
    """The place of a row by a column: missing values last."""
    value = row.reached_at.timestamp() if column.key == TIME else column.value(row.values)
    if value is None:
        return True, 0.0
    return False, value if column.direction == "asc" else -value
