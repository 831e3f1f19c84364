"""Result files of other tools become attempts, one format per file.

A new format is one file with an `IMPORTER`; no list has to be edited. Pure: bytes in, plain values
out, nothing is stored and nothing of an archive is written to disk.
"""

from leaderboard.importers.column_use import ColumnUse
from leaderboard.importers.errors import ImportFailed
from leaderboard.importers.formats import known_importers, read, recognise, under_name
from leaderboard.importers.imports import (
    ColumnMap,
    Import,
    ImportedAttempt,
    Importer,
)
from leaderboard.importers.source import Source

__all__ = [
    "ColumnMap",
    "ColumnUse",
    "Import",
    "ImportFailed",
    "ImportedAttempt",
    "Importer",
    "Source",
    "known_importers",
    "read",
    "recognise",
    "under_name",
]
