"""What a column of a Parquet file is, without the library that writes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from leaderboard.services.board.rows import Row

TEXT, WHOLE, NUMBER, TRUTH, DAY, MOMENT = "text", "whole", "number", "truth", "day", "moment"
NO_FACTS: Final[Mapping[str, str]] = {}


class FileField(NamedTuple):
    """A column of the file: its type, its value in a row, and what is said of it."""

    type: str
    take: Callable[[Row], Any]
    facts: Mapping[str, str] = NO_FACTS
