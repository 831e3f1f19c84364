"""Whether the rows of a file are attempts."""

from __future__ import annotations

from contextlib import closing

from leaderboard.importers.formats import podium_csv, podium_jsonl
from leaderboard.importers.reading.source import Source
from leaderboard.importers.tables import attempts
from leaderboard.importers.tools import podium_rows


def has_rows_of_attempts(source: Source, format: str) -> bool:  # noqa: A002 - the API's word
    """Whether each row of a file of a format may be an attempt, and not a sample of one."""
    if format != podium_csv.KEY:
        return format in (podium_jsonl.KEY, attempts.KEY)
    with closing(source.lines(source.names[0])) as lines:
        first = next(lines, (0, b""))[1]
    return podium_rows.TASK not in podium_rows.header_of(first)[1]


def each_row_is_an_attempt(format: str) -> bool:  # noqa: A002 - the API's word
    """Whether each row of a file with rows of attempts is one; those of other tables may not be."""
    return format != attempts.KEY
