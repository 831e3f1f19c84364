"""The beginning of a table, for an organiser who has to say what its columns are."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from leaderboard.predictions.problems import legible
from leaderboard.predictions.tables import read_table

ROWS: Final = 10
MAX_COLUMNS: Final = 50
_USAGES: Final = {"public", "private", "ignored"}


class Preview(NamedTuple):
    """The names of the columns, the first rows as texts, and how many rows it has.

    columns, rows: at most 50 columns and 10 rows. usage: a column that looks like one of Public,
    Private and Ignored, "" if none does.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    row_count: int
    usage: str = ""
    warnings: tuple[str, ...] = ()


def preview(content: bytes) -> Preview:
    """The beginning of the table in a file. Raises BadTable."""
    table = read_table(content)
    names = list(table.columns)[:MAX_COLUMNS]
    first = [table.columns[name].slice(0, ROWS).to_pylist() for name in names]
    rows = zip(*([_cell_text(cell) for cell in column] for column in first), strict=True)
    usage = next((name for name in names if _is_usage(table.columns[name])), "")
    return Preview(tuple(names), tuple(rows), table.rows, usage, tuple(table.warnings))


def _cell_text(cell: Any) -> str:
    return "" if cell is None else legible(cell)


def _is_usage(column: Any) -> bool:
    names = {str(cell).lower() for cell in column.unique()[:4].to_pylist()}
    return bool(names) and names <= _USAGES
