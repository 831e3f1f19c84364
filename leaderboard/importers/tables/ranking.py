"""Which column of a table a board is suggested to rank by."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.result_labels import result_key
from leaderboard.importers.reading.suggestions import SuggestedColumn


def ranked_column(
    columns: Sequence[SuggestedColumn], labels: Sequence[str], attempts: Sequence[ImportedAttempt]
) -> SuggestedColumn | None:
    """The column to rank by; None if no column can. labels: of the columns, with their arrows."""
    keys = [column["key"] for column in columns]
    measured = [column["key"] for column in columns if "unit" in column]
    key = result_key(
        dict(zip(keys, labels, strict=True)), [one.values for one in attempts], measured
    )
    return columns[keys.index(key)] if key else None
