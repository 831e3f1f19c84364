"""The order of a board by one of its values, by an index where there is one.

The facts that every board shows have an index each: a page in their order reads fifty entries of
it. Large boards keep other columns in order: see `sorted_columns`. By anything else, the database
sorts the board.
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
from leaderboard.services.board.ranks import fences
from leaderboard.services.board.rows import Found, read_lines, read_sorted

INDEXED = ("score", "elapsed_ms", "tokens_total", "rating", "cost_usd", "submitted_at")
"""As in the migration 0014_standings_by_facts."""
MOST = 2000
"""So many standings are read at once."""


class _ValueOf(Func):
    """A number in a JSON column, by a name that may hold any character."""

    template = "(%(expressions)s)"
    arg_joiner = " -> "
    output_field = FloatField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, Any]:
        """Its paths have no escapes, and its `->` gives a text, not a number."""
        template, joiner = "(SELECT value FROM JSON_EACH(%(expressions)s)", ") WHERE key = "
        return self.as_sql(compiler, connection, template=template, arg_joiner=joiner, **context)


def sorted_lines(
    config_id: int, key: str, *, descending: bool, start: int, limit: int
) -> list[Found] | None:
    """Lines by a value, then in the order of the board, those without one last.

    None for a value that has no index.
    """
    if key in INDEXED:
        ids = _sorted_ids(config_id, key, descending=descending, start=start, limit=limit)
        return read_lines(ids)
    found = _kept_in_order(config_id, key, start, limit, descending=descending)
    there = (
        found
        or SortedColumn.objects.ready().up_to_date().filter(config=config_id, key=key).exists()
    )
    return found if there else None


def _kept_in_order(
    config_id: int, key: str, start: int, limit: int, *, descending: bool
) -> list[Found]:
    """Lines by a column that is kept in order, counted from the nearer end of it."""
    offset, backwards = start, False
    if start > MOST:
        total = fences(config_id).ahead[-1]
        behind = total - start - limit
        if behind < start:
            limit, offset, backwards = min(limit, total - start), max(behind, 0), True
    if limit <= 0:
        return []
    found = read_sorted(config_id, key, limit, offset, descending=descending, backwards=backwards)
    return found[::-1] if backwards else found


def _sorted_ids(config_id: int, key: str, *, descending: bool, start: int, limit: int) -> list[int]:
    """Ids of standings by a fact in the same order."""
    vendor = connection.vendor
    if descending and start + limit <= MOST:
        ids = _from_the_end(vendor, config_id, key, start + limit)[start:]
    else:
        found = fetch(_with(vendor, key, descending), [config_id, limit, start])
        ids = [each for (each,) in found]
    if len(ids) < limit and key != "submitted_at":
        past = start - fetch(_count(vendor, key), [config_id])[0][0] if not ids else 0
        rest = fetch(_without(vendor, key), [config_id, limit - len(ids), max(past, 0)])
        ids += [each for (each,) in rest]
    return ids


def ordered(standings: StandingQuerySet, key: str, *, descending: bool) -> StandingQuerySet:
    """Some standings in the same order, whatever the value."""
    value = F("reached_at") if key == "submitted_at" else _ValueOf("values", Value(key))
    order = OrderBy(value, descending=descending, nulls_last=True)
    return standings.order_by(order, "sort_key")


def _from_the_end(vendor: str, config_id: int, key: str, count: int) -> list[int]:
    """The first ids in the order of the index backwards, equal values in the order of the board.

    The index has these backwards too, so that the last value is asked for once more: thousands of
    standings may share it, which PostgreSQL would all read to sort them.
    """
    found = fetch(_backwards(vendor, key), [config_id, count])
    if not found:
        return []
    last = found[-1][1]
    whole = [row for row in found if row[1] != last]
    groups = {value: at for at, value in enumerate(dict.fromkeys(row[1] for row in whole))}
    whole.sort(key=lambda row: (groups[row[1]], row[2]))
    rest = fetch(_equal(vendor, key), [config_id, last, count - len(whole)])
    return [each for each, *_ in (*whole, *rest)]


@cache
def _backwards(vendor: str, key: str) -> str:
    value = _value(vendor, key)
    return (
        f"SELECT id, {value}, sort_key FROM leaderboard_standing"  # noqa: S608 - a name of `INDEXED`
        f" WHERE config_id = %s AND {value} IS NOT NULL ORDER BY {value} DESC LIMIT %s"
    )


@cache
def _equal(vendor: str, key: str) -> str:
    return (
        "SELECT id FROM leaderboard_standing"  # noqa: S608 - a name of `INDEXED`
        f" WHERE config_id = %s AND {_value(vendor, key)} = %s ORDER BY sort_key LIMIT %s"
    )


@cache
def _with(vendor: str, key: str, descending: bool) -> str:
    value, end = _value(vendor, key), "DESC" if descending else "ASC"
    return (
        f"SELECT id FROM leaderboard_standing WHERE config_id = %s AND {value} IS NOT NULL"  # noqa: S608 - a name of `INDEXED`
        f" ORDER BY {value} {end}, sort_key LIMIT %s OFFSET %s"
    )


@cache
def _without(vendor: str, key: str) -> str:
    value = _value(vendor, key)
    return (
        f"SELECT id FROM leaderboard_standing WHERE config_id = %s AND {value} IS NULL"  # noqa: S608 - a name of `INDEXED`
        " ORDER BY sort_key LIMIT %s OFFSET %s"
    )


@cache
def _count(vendor: str, key: str) -> str:
    return (
        f"SELECT count(*) FROM leaderboard_standing WHERE config_id = %s"  # noqa: S608 - a name of `INDEXED`
        f" AND {_value(vendor, key)} IS NOT NULL"
    )


def _value(vendor: str, key: str) -> str:
    """The value as in its index."""
    if key == "submitted_at":
        return "reached_at"
    if vendor == "postgresql":
        return f"((\"values\" ->> '{key}')::double precision)"
    return f"json_extract(\"values\", '$.{key}')"
