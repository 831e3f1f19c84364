"""Describes the columns of a Parquet file; needs no library that writes Parquet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from leaderboard.services.board.reading.rows import BoardRow

TEXT, WHOLE, NUMBER, TRUTH, DAY, MOMENT = "text", "whole", "number", "truth", "day", "moment"
NO_FACTS: Final[Mapping[str, str]] = {}


class FileField(NamedTuple):
    """A column of the file: its type, how to take its value from a row, and its metadata."""

    type: str
    take: Callable[[BoardRow], Any]
    facts: Mapping[str, str] = NO_FACTS
