"""Lines of a board in the order of one of its values, read from an index where there is one.

Each fact that every board shows has an index: a page in its order reads fifty entries. Large boards
keep further columns sorted: see `sorted_columns`. For any other value the database sorts the board.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from django.db import connection
from django.db.models import F, FloatField, Func, Value
from django.db.models.expressions import OrderBy

from leaderboard.models import SortedColumn
from leaderboard.models.prepared import fetch
from leaderboard.models.standing import StandingQuerySet
from leaderboard.rules.meta_values import MetaField
from leaderboard.services.board.meta_order import ordered_by_meta
from leaderboard.services.board.ranks import Fences
from leaderboard.services.board.rows import Found, read_lines, read_sorted

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
    board_id: int, known: Fences, key: str, *, descending: bool, start: int, limit: int
) -> list[Found] | None:
    """Lines in the order of a value, equal ones in the order of the board, empty ones last.

    known: the fences of the board. Returns None for a value without an index.
    """
    if key in INDEXED:
        ids = _sorted_ids(board_id, key, descending=descending, start=start, limit=limit)
        return read_lines(ids)
    total = known.ahead[-1]
    found = _kept_in_order(board_id, key, total, start, limit, descending=descending)
    there = found or SortedColumn.objects.ready().filter(board=board_id, key=key).exists()
    return found if there else None


def _kept_in_order(
    board_id: int, key: str, total: int, start: int, limit: int, *, descending: bool
) -> list[Found]:
    """Lines in the order of a sorted column, read from its nearer end."""
    offset, backwards = start, False
    if start > MOST:
        behind = total - start - limit
        if behind < start:
            limit, offset, backwards = min(limit, total - start), max(behind, 0), True
    if limit <= 0:
        return []
    found = read_sorted(board_id, key, limit, offset, descending=descending, backwards=backwards)
    return found[::-1] if backwards else found


def _sorted_ids(board_id: int, key: str, *, descending: bool, start: int, limit: int) -> list[int]:
    """The ids of standings in the order of a fact."""
    vendor = connection.vendor
    if descending and start + limit <= MOST:
        ids = _from_the_end(vendor, board_id, key, start + limit)[start:]
    else:
        found = fetch(_with(vendor, key, descending), [board_id, limit, start])
        ids = [each for (each,) in found]
    if len(ids) < limit and key != "submitted_at":
        past = start - fetch(_count(vendor, key), [board_id])[0][0] if not ids else 0
        rest = fetch(_without(vendor, key), [board_id, limit - len(ids), max(past, 0)])
        ids += [each for (each,) in rest]
    return ids


def ordered(
    standings: StandingQuerySet, key: str, field: MetaField | None = None, *, descending: bool
) -> StandingQuerySet:
    """Sort standings by any value, or by a field of meta; the database needs no index for it."""
    if field is not None:
        return ordered_by_meta(standings, field, descending=descending)
    value = F("reached_at") if key == "submitted_at" else _ValueOf("values", Value(key))
    order = OrderBy(value, descending=descending, nulls_last=True)
    return standings.order_by(order, "sort_key")


def _from_the_end(vendor: str, board_id: int, key: str, count: int) -> list[int]:
    """The first ids in the reverse order of the index, equal values in the order of the board.

    Read backwards, the index has equal values in the reverse order of the board. So the rows with
    the last value are read by a second query: thousands of standings may share it, and PostgreSQL
    would read all of them to sort them.
    """
    found = fetch(_backwards(vendor, key), [board_id, count])
    if not found:
        return []
    last = found[-1][1]
    whole = [row for row in found if row[1] != last]
    groups = {value: at for at, value in enumerate(dict.fromkeys(row[1] for row in whole))}
    whole.sort(key=lambda row: (groups[row[1]], row[2]))
    rest = fetch(_equal(vendor, key), [board_id, last, count - len(whole)])
    return [each for each, *_ in (*whole, *rest)]


@cache
def _backwards(vendor: str, key: str) -> str:
    value = _value(vendor, key)
    return (
        f"SELECT id, {value}, sort_key FROM leaderboard_standing"  # noqa: S608 - a name of `INDEXED`
        f" WHERE board_id = %s AND {value} IS NOT NULL ORDER BY {value} DESC LIMIT %s"
    )


@cache
def _equal(vendor: str, key: str) -> str:
    return (
        "SELECT id FROM leaderboard_standing"  # noqa: S608 - a name of `INDEXED`
        f" WHERE board_id = %s AND {_value(vendor, key)} = %s ORDER BY sort_key LIMIT %s"
    )


@cache
def _with(vendor: str, key: str, descending: bool) -> str:
    value, end = _value(vendor, key), "DESC" if descending else "ASC"
    return (
        f"SELECT id FROM leaderboard_standing WHERE board_id = %s AND {value} IS NOT NULL"  # noqa: S608 - a name of `INDEXED`
        f" ORDER BY {value} {end}, sort_key LIMIT %s OFFSET %s"
    )


@cache
def _without(vendor: str, key: str) -> str:
    value = _value(vendor, key)
    return (
        f"SELECT id FROM leaderboard_standing WHERE board_id = %s AND {value} IS NULL"  # noqa: S608 - a name of `INDEXED`
        " ORDER BY sort_key LIMIT %s OFFSET %s"
    )


@cache
def _count(vendor: str, key: str) -> str:
    return (
        f"SELECT count(*) FROM leaderboard_standing WHERE board_id = %s"  # noqa: S608 - a name of `INDEXED`
        f" AND {_value(vendor, key)} IS NOT NULL"
    )


def _value(vendor: str, key: str) -> str:
    """The SQL expression of the value, as in its index."""
    if key == "submitted_at":
        return "reached_at"
    if vendor == "postgresql":
        return f"((\"values\" ->> '{key}')::double precision)"
    return f"json_extract(\"values\", '$.{key}')"
