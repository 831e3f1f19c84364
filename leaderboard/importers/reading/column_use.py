"""What a column of a table is used for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ColumnUse:
    """The use of a table's column. use: as in `map`, `value:mmlu`. guessed: the user did not give
    it.

    examples: its first distinct cells. note: how its cells are interpreted, if not obvious.
    """

    column: str
    use: str
    guessed: bool
    examples: tuple[str, ...] = ()
    note: str = ""
