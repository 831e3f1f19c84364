"""Result files of other tools become attempts, one format per file.

A new format is one file with an `IMPORTER`; no list has to be edited. Pure: bytes in, plain values
out, nothing is stored and nothing of an archive is written to disk.
"""

from leaderboard.importers.amounts import MAX_ATTEMPTS, rows_in
from leaderboard.importers.column_use import ColumnUse
from leaderboard.importers.errors import ImportFailed
from leaderboard.importers.formats import known_importers, read, recognise, under_name
from leaderboard.importers.imports import (
    ColumnMap,
    Import,
    ImportedAttempt,
    Importer,
)
from leaderboard.importers.rows import each_row_is_an_attempt, has_rows_of_attempts
from leaderboard.importers.source import Source

__all__ = [
    "MAX_ATTEMPTS",
    "ColumnMap",
    "ColumnUse",
    "Import",
    "ImportFailed",
    "ImportedAttempt",
    "Importer",
    "Source",
    "each_row_is_an_attempt",
    "has_rows_of_attempts",
    "known_importers",
    "read",
    "recognise",
    "rows_in",
    "under_name",
]
