"""Boards become files that other tools read, one format per file.

A new format is one file in `formats` with an `EXPORTER`; no list has to be edited. Pure: plain
values in, bytes out. An exporter gets what one reader may see, so a frozen, rounded or hidden board
is exported as that reader sees it.
"""

from collections.abc import Mapping

from leaderboard.exporters.board import (
    BoardOutline,
    ExportedAttempt,
    ExportedBoard,
    ExportedColumn,
    ExportedPhase,
    ExportedRow,
    ExportedValue,
)
from leaderboard.exporters.exporter import CannotExport, Exporter
from leaderboard.rules.plugins.modules import offered

__all__ = [
    "BoardOutline",
    "CannotExport",
    "ExportedAttempt",
    "ExportedBoard",
    "ExportedColumn",
    "ExportedPhase",
    "ExportedRow",
    "ExportedValue",
    "Exporter",
    "known_exporters",
]


def known_exporters() -> Mapping[str, Exporter]:
    """Every format that a file here describes, by key."""
    return offered("leaderboard.exporters.formats", "EXPORTER")
