"""The columns of a board, one per file.

A new column is one file with a `COLUMN`; no list has to be edited.
"""

from leaderboard.columns.column import Column
from leaderboard.columns.overrides import apply_overrides, check_overrides, named_keys
from leaderboard.columns.registry import columns_for, get_column, known_columns

__all__ = [
    "Column",
    "apply_overrides",
    "check_overrides",
    "columns_for",
    "get_column",
    "known_columns",
    "named_keys",
]
