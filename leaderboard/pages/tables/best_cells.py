"""The best value of each column of a board, which is set off from the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from leaderboard.columns import Column
from leaderboard.pages.tables.board_table import TableLine
from leaderboard.services.board.reading.rows import BoardRow

LEAST: Final = 3
"""The fewest ranked rows of which a best one says something."""
MOST: Final = 3
"""The most rows that share a best value."""


def with_best(
    columns: Sequence[Column], rows: Sequence[BoardRow], lines: Sequence[TableLine]
) -> list[TableLine]:
    """The lines with a mark on the best value of each column but the first, which ranks tell.

    rows: those of the lines, with all ranked rows of the board. Values that read the same as the
    best one share its mark.
    """
    best = [_best(column, at, rows, lines) for at, column in enumerate(columns)]
    return [
        replace(
            line,
            cells=[
                replace(cell, is_best=True) if text and cell.text == text else cell
                for cell, text in zip(line.cells, best, strict=True)
            ],
        )
        if row.rank is not None
        else line
        for row, line in zip(rows, lines, strict=True)
    ]


def _best(column: Column, at: int, rows: Sequence[BoardRow], lines: Sequence[TableLine]) -> str:
    """The text of the best value of a column; "" if it has none, or too many share it."""
    measured = [
        (row.values[column.key], line.cells[at].text)
        for row, line in zip(rows, lines, strict=True)
        if row.rank is not None and column.key in row.values
    ]
    if not at or len(measured) < LEAST:
        return ""
    _value, text = (min if column.direction == "asc" else max)(measured)
    return text if sum(other == text for _value, other in measured) <= MOST else ""
