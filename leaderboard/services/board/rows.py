"""Rows of a board as plain tuples, read by one prepared statement.

A first page is read more often than anything else. Model instances and a query compiled anew for
each reader would cost several times what the database needs, so this is written by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from pydantic_core import from_json

from leaderboard.models import Attempt, Participant, Standing
from leaderboard.models.prepared import fetch
from leaderboard.rules.cells import BoardCell
from leaderboard.rules.ranking import RANKED, rank_key_of
from leaderboard.rules.sortkey import REACHED_LENGTH
from leaderboard.services.board.ranks import Fences, places
from leaderboard.services.board.standing_columns import COLUMNS, from_database

STANDING = ("sort_key", "unranked", "attempts", "reached_at", "attempt_id", "values", "cells")
JSON = ("values", "cells")
PARTICIPANT = ("id", "handle", "slug", "name", "kind")
KEYS = ("participant_id", "pick_key", "slot")
OTHERS = tuple(column for column in COLUMNS if column.name not in (*STANDING, *KEYS))
"""Stored values that a row has in `stored`."""
EMPTY = "{}"
NO_META: Mapping[str, str] = MappingProxyType({})

Found = tuple[Any, ...]
"""A line as the driver returns it: the columns of `STANDING`, `PARTICIPANT` and `OTHERS`."""


class RowParticipant(NamedTuple):
    """A participant as a row shows it."""

    pk: int
    handle: str
    slug: str
    name: str
    kind: str

    @property
    def shown_name(self) -> str:
        return self.name or self.handle


class Row(NamedTuple):
    """A line of the board. `rank` is None for an unranked participant, with the reason.

    attempt_id, attempts: the attempt that counts, and how many there are; None if they are hidden
    from the reader. here: the rank among the rows that fit a filter; None without one. meta:
    that of the attempt that counts, where it was asked for.
    """

    rank: int | None
    tied: bool
    unranked: str
    participant: RowParticipant
    attempt_id: UUID | None
    values: dict[str, float]
    cells: dict[str, BoardCell]
    attempts: int | None
    reached_at: datetime
    sort_key: bytes
    stored: dict[str, Any]
    here: int | None = None
    meta: Mapping[str, str] = NO_META

    @property
    def rank_key(self) -> bytes:
        return rank_key_of(self.sort_key)


def read_rows(
    board_id: int, key: bytes, limit: int, offset: int = 0, *, with_meta: bool = False
) -> list[Found]:
    """Up to `limit` lines in the order of the board.

    key: the first sort key. offset: how many lines from that key on are skipped. with_meta: with
    the meta of their attempts as a further column.
    """
    past = [offset] if offset else []
    sql = page_sql(connection.vendor, limit, skips=bool(past), with_meta=with_meta)
    return fetch(sql, [board_id, key, *past])


def read_own(board_id: int, participant_id: int) -> list[Found]:
    """The line of a participant, or the first one of them, if there is any."""
    return fetch(own_sql(connection.vendor), [board_id, participant_id])


def read_among(
    board_id: int, participant_ids: Sequence[int], limit: int, offset: int
) -> list[Found]:
    """Up to `limit` lines of these participants in the order of the board, from `offset` on."""
    sql = among_sql(connection.vendor)
    return fetch(sql, [board_id, _array(participant_ids), limit, offset])


def read_sorted(
    board_id: int, key: str, limit: int, offset: int, *, descending: bool, backwards: bool
) -> list[Found]:
    """Up to `limit` lines in the order of a column, from `offset` on; none if it is not sorted.

    backwards: the order is reversed, and `offset` counts from the last line.
    """
    way = {"descending": descending, "backwards": backwards, "skips": bool(offset)}
    past = [offset] if offset else []
    return fetch(sorted_sql(connection.vendor, limit, **way), [board_id, key, *past, board_id])


def read_lines(standing_ids: Sequence[int]) -> list[Found]:
    """The lines of these standings, in this order."""
    found = fetch(some_sql(connection.vendor), [_array(standing_ids)])
    known = {row[0]: row[1:] for row in found}
    return [known[each] for each in standing_ids if each in known]


def consecutive(found: Sequence[Found], start: int, better: int, *, shown: int) -> list[Row]:
    """The first `shown` of some consecutive lines as rows.

    found: these lines and, if there is one, the next line, which shows whether the last row is
    tied. start: how many lines are ahead of the first. better: how many of those have a smaller
    rank key.
    """
    keys = [row[0][:-REACHED_LENGTH] for row in found]
    places, last, rank = [], None, 0
    for position, key in enumerate(keys, start=start + 1):
        if last is None:
            rank = better + 1
        elif key != last:
            rank = position
        places.append(rank)
        last = key
    keys.append(b"")
    return _rows(
        found[:shown],
        [
            (rank, rank != start + at + 1 or keys[at] == keys[at + 1])
            for at, rank in enumerate(places[:shown])
        ],
    )


def apart(board_id: int, found: Sequence[Found], known: Fences) -> list[Row]:
    """Lines from anywhere on a board as rows with their ranks. known: the fences of the board."""
    keys = [rank_key_of(bytes(row[0])) for row in found]
    place = places(board_id, set(keys), known)
    return _rows(found, [(place[key].better + 1, place[key].tied) for key in keys])


def _rows(found: Sequence[Found], ranks: Sequence[tuple[int, bool]]) -> list[Row]:
    """Lines with their ranks as rows. Decodes the values of all lines at once, for speed."""
    values: list[dict[str, float]] = from_json(f"[{','.join([row[5] for row in found])}]")
    plain = connection.vendor == "postgresql"
    width = len(PARTICIPANT) + len(OTHERS)
    rows = []
    for at, (key, unranked, attempts, reached, attempt, _, cells, *rest) in enumerate(found):
        rank, tied = ranks[at]
        ranked = key[:1] == RANKED
        meta = from_json(rest.pop() or EMPTY) if len(rest) > width else NO_META
        rows.append(
            Row(
                rank if ranked else None,
                tied and ranked,
                unranked,
                RowParticipant._make(rest[: len(PARTICIPANT)]),
                attempt if plain else UUID(attempt),
                values[at],
                from_json(cells) if cells != EMPTY else {},
                attempts,
                reached if plain else _moment(reached),
                key,
                _others(rest[len(PARTICIPANT) :]) if OTHERS else {},
                meta=meta,
            )
        )
    return rows


def _others(found: Sequence[Any]) -> dict[str, Any]:
    """The values of `OTHERS`, as a model instance would have them."""
    values = zip(OTHERS, found, strict=True)
    return {column.name: from_database(column, value) for column, value in values}


@cache
def page_sql(vendor: str, limit: int, *, skips: bool = False, with_meta: bool = False) -> str:
    """The statement of `read_rows`; its parameters are board, sort key and, if any, the offset.

    The limit is part of the text, so that PostgreSQL's one prepared plan can use it.
    """
    standing = connection.ops.quote_name(Standing._meta.db_table)
    offset = " OFFSET %s" if skips else ""
    inner = (
        f"SELECT * FROM {standing} WHERE board_id = %s AND sort_key >= %s"  # noqa: S608 - names of the models
        f" ORDER BY sort_key LIMIT {limit:d}{offset}"
    )
    return f"{_select(vendor, inner, with_meta=with_meta)} ORDER BY s.sort_key"


@cache
def own_sql(vendor: str) -> str:
    standing = connection.ops.quote_name(Standing._meta.db_table)
    inner = (
        f"SELECT * FROM {standing} WHERE board_id = %s AND participant_id = %s"  # noqa: S608 - names of the models
        " ORDER BY sort_key LIMIT 1"
    )
    return _select(vendor, inner)


@cache
def some_sql(vendor: str) -> str:
    standing = connection.ops.quote_name(Standing._meta.db_table)
    among = (
        "= ANY(%s::bigint[])" if vendor == "postgresql" else "IN (SELECT value FROM json_each(%s))"
    )
    return _select(vendor, f"SELECT * FROM {standing} WHERE id {among}", "s.id, ")  # noqa: S608 - names of the models


@cache
def sorted_sql(vendor: str, limit: int, *, descending: bool, backwards: bool, skips: bool) -> str:
    """The statement of `read_sorted`; the limit is part of its text as in `page_sql`."""
    offset = " OFFSET %s" if skips else ""
    standing = connection.ops.quote_name(Standing._meta.db_table)
    value, end = "down" if descending else "up", " DESC" if backwards else ""
    values = (
        f"SELECT participant_id, {value} AS placed FROM leaderboard_sortedvalue"  # noqa: S608 - names of the models
        " WHERE column_id ="
        " (SELECT c.id FROM leaderboard_sortedcolumn c"
        f" WHERE c.board_id = %s AND c.key = %s AND c.state = 'ready')"
        f" ORDER BY {value}{end}, sort_key{end} LIMIT {limit:d}{offset}"
    )
    inner = (
        f"SELECT line.*, v.placed FROM ({values}) v JOIN {standing} line"  # noqa: S608 - names of the models
        " ON line.board_id = %s AND line.participant_id = v.participant_id"
    )
    return f"{_select(vendor, inner)} ORDER BY s.placed{end}, s.sort_key{end}"


@cache
def among_sql(vendor: str) -> str:
    standing = connection.ops.quote_name(Standing._meta.db_table)
    inner = (
        f"SELECT * FROM {standing} WHERE board_id = %s AND participant_id {_among(vendor)}"  # noqa: S608 - names of the models
        " ORDER BY sort_key LIMIT %s OFFSET %s"
    )
    return f"{_select(vendor, inner)} ORDER BY s.sort_key"


def _among(vendor: str) -> str:
    """A condition with one parameter for any number of ids."""
    postgresql = vendor == "postgresql"
    return "= ANY(%s::bigint[])" if postgresql else "IN (SELECT value FROM json_each(%s))"


def _array(ids: Sequence[int]) -> str:
    """Ids as the parameter of `_among`: one text, because the driver writes list items singly."""
    numbers = ",".join(map(str, ids))
    return f"{{{numbers}}}" if connection.vendor == "postgresql" else f"[{numbers}]"


def _select(vendor: str, standings: str, first: str = "", *, with_meta: bool = False) -> str:
    """A statement that reads standings with their participants; JSON comes as text."""
    quote = connection.ops.quote_name
    text = "::text" if vendor == "postgresql" else ""
    names = [f"s.{quote(name)}{text if name in JSON else ''}" for name in STANDING]
    names += [f"p.{quote(name)}" for name in PARTICIPANT]
    names += [f"s.{quote(column.name)}" for column in OTHERS]
    names += [f"a.meta{text}"] if with_meta else []
    participant = quote(Participant._meta.db_table)
    attempt = quote(Attempt._meta.db_table)
    attempts = f" LEFT JOIN {attempt} a ON a.id = s.attempt_id" if with_meta else ""
    return (
        f"SELECT {first}{', '.join(names)} FROM ({standings}) s"  # noqa: S608 - names of the models
        f" JOIN {participant} p ON p.id = s.participant_id{attempts}"
    )


def _moment(value: Any) -> datetime:
    """A time read from SQLite: a text, or a datetime if Django has registered a converter."""
    parsed = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    return parsed.replace(tzinfo=UTC)
