"""Lines of a board in the order of one of its values, read from an index where there is one.

Each fact that every board shows has an index: a page in its order reads fifty entries. Large boards
keep further columns sorted: see `sorted_columns`. For any other value the database sorts the board.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import F, FloatField, Func, Value
from django.db.models.expressions import OrderBy

from leaderboard.models import Board, SortedColumn
from leaderboard.models.prepared import fetch
from leaderboard.models.standing import StandingQuerySet
from leaderboard.rules.visibility.meta_values import MetaField
from leaderboard.services.board.reading.meta_order import ordered_by_meta
from leaderboard.services.board.reading.page_cache import cached_page
from leaderboard.services.board.reading.ranks import bucket_bounds_of
from leaderboard.services.board.reading.row_sql import fact_value
from leaderboard.services.board.reading.rows import (
    DecodedLine,
    find_facts,
    find_sorted,
    find_top,
    read_lines,
)

INDEXED = ("score", "elapsed_ms", "tokens_total", "rating", "cost_usd", "submitted_at")
"""As in the migration 0014_standings_by_facts."""
MOST = 2000
"""The most standings that one statement reads."""


class _ValueOf(Func):
    """A number in a JSON column, by a name that may contain any character."""

    template = "(%(expressions)s)"
    arg_joiner = " -> "
    output_field = FloatField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, Any]:
        """Use `json_each`: SQLite's paths have no escapes, and its `->` gives a text."""
        template, joiner = "(SELECT value FROM JSON_EACH(%(expressions)s)", ") WHERE key = "
        return self.as_sql(compiler, connection, template=template, arg_joiner=joiner, **context)


def sorted_lines(
    board: Board, key: str, *, descending: bool, start: int, limit: int
) -> Sequence[DecodedLine] | None:
    """Lines in the order of a value, equal ones in the order of the board, empty ones last.

    None for a value without an index.
    """
    if key in INDEXED:
        return _by_fact(board, key, descending=descending, start=start, limit=limit)
    lines = _kept_in_order(board, key, start, limit, descending=descending)
    has_column = lines or SortedColumn.objects.ready().filter(board=board.read_pk, key=key).exists()
    return lines if has_column else None


def _kept_in_order(
    board: Board, key: str, start: int, limit: int, *, descending: bool
) -> Sequence[DecodedLine]:
    """Lines in the order of a sorted column, read from its nearer end."""
    offset, backwards = start, False
    if start > MOST:
        total = bucket_bounds_of(board).ahead[-1]
        behind = total - start - limit
        if behind < start:
            limit, offset, backwards = min(limit, total - start), max(behind, 0), True
    if limit <= 0:
        return []
    way = {"descending": descending, "backwards": backwards}
    lines = cached_page(board, find_sorted, board.read_pk, key, limit, offset, **way)
    return lines[::-1] if backwards else lines


def _by_fact(
    board: Board, key: str, *, descending: bool, start: int, limit: int
) -> Sequence[DecodedLine]:
    """Lines in the order of a fact, empty ones last."""
    pk = board.read_pk
    if descending and start + limit <= MOST:
        lines = cached_page(board, find_top, pk, key, limit, start)
    else:
        lines = cached_page(board, find_facts, pk, key, limit, start, descending=descending)
    if len(lines) == limit or key == "submitted_at":
        return lines
    vendor = connection.vendor
    past = 0 if lines else start - fetch(_count(vendor, key), [pk])[0][0]
    rest = fetch(_without(vendor, key), [pk, limit - len(lines), max(past, 0)])
    return [*lines, *read_lines([standing_id for (standing_id,) in rest])] if rest else lines


def ordered(
    standings: StandingQuerySet, key: str, field: MetaField | None = None, *, descending: bool
) -> StandingQuerySet:
    """Sort standings by any value, or by a field of meta; the database needs no index for it."""
    if field is not None:
        return ordered_by_meta(standings, field, descending=descending)
    value = F("reached_at") if key == "submitted_at" else _ValueOf("values", Value(key))
    order = OrderBy(value, descending=descending, nulls_last=True)
    return standings.order_by(order, "sort_key")


@cache
def _without(vendor: str, key: str) -> str:
    value = fact_value(vendor, key)
    return (
        f"SELECT id FROM leaderboard_standing WHERE board_id = %s AND {value} IS NULL"  # noqa: S608 - a name of `INDEXED`
        " ORDER BY sort_key LIMIT %s OFFSET %s"
    )


@cache
def _count(vendor: str, key: str) -> str:
    return (
        f"SELECT count(*) FROM leaderboard_standing WHERE board_id = %s"  # noqa: S608 - a name of `INDEXED`
        f" AND {fact_value(vendor, key)} IS NOT NULL"
    )
