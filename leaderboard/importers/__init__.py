"""Result files of other tools become attempts, one format per file.

A new format is one file with an `IMPORTER`; no list has to be edited. Pure: bytes in, plain values
out, nothing is stored and nothing of an archive is written to disk.
"""

from leaderboard.importers.reading.amounts import MAX_ATTEMPTS, rows_in
from leaderboard.importers.reading.column_use import ColumnUse
from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.imports import (
    ColumnMap,
    Import,
    ImportedAttempt,
    Importer,
)
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.zips import Zip
from leaderboard.importers.recognition import known_importers, read, recognise, under_name
from leaderboard.importers.rows import each_row_is_an_attempt, has_rows_of_attempts

__all__ = [
    "MAX_ATTEMPTS",
    "ColumnMap",
    "ColumnUse",
    "Import",
    "ImportFailed",
    "ImportedAttempt",
    "Importer",
    "Source",
    "Zip",
    "each_row_is_an_attempt",
    "has_rows_of_attempts",
    "known_importers",
    "read",
    "recognise",
    "rows_in",
    "under_name",
]
