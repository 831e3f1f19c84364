"""Values that participants report and that the challenge does not list as columns.

The API and exports contain them, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from django.core.cache import cache
from django.db import connection

from leaderboard.columns import Column, get_column
from leaderboard.models import Board, ScoringConfig, Standing
from leaderboard.rules.ranking.places import UNRANKED
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.evaluation.reported_values import is_reported

MAX_COLUMNS = 100
"""The most columns that an export adds for reported values: the first ones by name."""
MAX_KEYS = 5000
"""The most names of values that are read for these columns, with those of facts and metrics."""
KEPT_SECONDS = 3600


class Unlisted:
    """Reads the reported values of rows that no listed column shows."""

    def __init__(self, config: ScoringConfig, listed: Iterable[Column]) -> None:
        self._config = config
        self._is_shown_by_key = {column.key: False for column in listed}

    def of(self, row: BoardRow) -> dict[str, float]:
        """The values of one row, by name."""
        return {key: value for key, value in row.values.items() if self.shows(key)}

    def shows(self, key: str) -> bool:
        """Whether values of this name are reported and not listed."""
        is_shown = self._is_shown_by_key.get(key)
        if is_shown is None:
            is_shown = self._is_shown_by_key[key] = is_reported(self._config, key)
        return is_shown


def reported_columns(board: Board, listed: Collection[Column]) -> list[Column]:
    """Columns for the reported values that ranked rows have, by name; at most 100."""
    unlisted = Unlisted(board.config, listed)
    keys = [key for key in _keys(board, ranked=True) if unlisted.shows(key)]
    return [get_column(key) for key in keys[:MAX_COLUMNS]]


def has_reported(board: Board, key: str) -> bool:
    """Whether a row of the board has a reported value of this name."""
    return is_reported(board.config, key) and key in _keys(board, ranked=False)


def _keys(board: Board, *, ranked: bool) -> list[str]:
    """The names of the values on a board, sorted; read once per version of it."""
    kept = f"reported:{board.read_pk}:{board.version}:{ranked}"
    names: list[str] | None = cache.get(kept)
    if names is None:
        with connection.cursor() as cursor:
            parameters: list[Any] = [board.read_pk, *([UNRANKED] if ranked else []), MAX_KEYS]
            cursor.execute(_sql(connection.vendor, ranked=ranked), parameters)
            names = [row[0] for row in cursor.fetchall()]
        cache.set(kept, names, KEPT_SECONDS)
    return names


def _sql(vendor: str, *, ranked: bool) -> str:
    table, values = map(connection.ops.quote_name, (Standing._meta.db_table, "values"))
    key, source = "k.key", f"json_each(s.{values}) AS k"
    if vendor == "postgresql":
        key, source = 'k.name COLLATE "C"', f"jsonb_object_keys(s.{values}) AS k(name)"
    limit = " AND s.sort_key < %s" if ranked else ""
    return (
        f"SELECT DISTINCT {key} FROM {table} s, {source}"  # noqa: S608 - names of the model
        f" WHERE s.board_id = %s{limit} ORDER BY {key} LIMIT %s"
    )
