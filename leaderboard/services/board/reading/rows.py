"""Rows of a board as plain tuples, read by one prepared statement each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise, repeat
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from pydantic_core import from_json

from leaderboard.models.prepared import fetch
from leaderboard.rules.json.stored_numbers import read_numbers
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.ranking.places import RANKED, rank_key_of
from leaderboard.rules.rewards.cells import BoardCell
from leaderboard.rules.sortkey import REACHED_LENGTH
from leaderboard.services.board.reading.ranks import BucketBounds, places
from leaderboard.services.board.reading.row_sql import (
    OTHERS,
    PARTICIPANT,
    STANDING,
    WIDTH,
    among_sql,
    own_sql,
    page_sql,
    some_sql,
)
from leaderboard.services.board.standing_columns import from_database

EMPTY = "{}"
NO_META: Mapping[str, str] = MappingProxyType({})

FoundLine = tuple[Any, ...]
"""A line as the driver returns it: the columns of `STANDING`, `PARTICIPANT` and `OTHERS`, then its
meta if that was asked for, or `PLACE` columns."""

_make = tuple.__new__
"""Makes a named tuple of a tuple, in half of the time of a call with its fields."""


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


class BoardRow(NamedTuple):
    """A line of the board. `rank` is None for an unranked participant, with the reason.

    attempt_id, attempts: the attempt that counts, and how many there are; None if they are hidden
    from the reader. here: the rank among the rows that fit a filter; None without one. meta:
    that of the attempt that counts, where it was asked for. family: the system of which the attempt
    is one configuration, "" for none. tied_here: whether another row that fits has the rank `here`,
    where families are folded.
    """

    rank: int | None
    tied: bool
    unranked: str
    participant: RowParticipant
    attempt_id: UUID | None
    values: Mapping[str, float]
    cells: Mapping[str, BoardCell]
    attempts: int | None
    reached_at: datetime
    sort_key: bytes
    stored: JsonObject
    here: int | None = None
    meta: Mapping[str, str] = NO_META
    family: str = ""
    tied_here: bool = False

    @property
    def rank_key(self) -> bytes:
        return rank_key_of(self.sort_key)


DecodedLine = tuple[BoardRow, Sequence[Any]]
"""A line of a board: its row without a rank, which depends on the other lines, and its place.

The place of a line that was read with it: the bucket, how many lines of it are ahead, and whether
the line is tied.
"""


def read_rows(
    board_id: int, key: bytes, limit: int, offset: int = 0, *, with_meta: bool = False
) -> list[DecodedLine]:
    """Up to `limit` lines in the order of the board.

    key: the first sort key. offset: how many lines from that key on are skipped. with_meta: with
    the meta of their attempts as a further column.
    """
    past = [offset] if offset else []
    sql = page_sql(connection.vendor, limit, skips=bool(past), with_meta=with_meta)
    return lines_of(fetch(sql, [board_id, key, *past]), has_meta=with_meta)


def read_own(board_id: int, participant_id: int) -> list[DecodedLine]:
    """The line of a participant with its place, or the first one of them, if there is any."""
    return lines_of(fetch(own_sql(connection.vendor), [board_id, participant_id]))


def read_among(
    board_id: int, participant_ids: Sequence[int], limit: int, offset: int
) -> list[DecodedLine]:
    """Up to `limit` lines of these participants with their places, in the order of the board, from
    `offset` on.
    """
    sql = among_sql(connection.vendor)
    return lines_of(fetch(sql, [board_id, _array(participant_ids), limit, offset]))


def read_lines(standing_ids: Sequence[int]) -> list[DecodedLine]:
    """The lines of these standings with their places, in this order."""
    placed_lines = fetch(some_sql(connection.vendor), [_array(standing_ids)])
    ids = [line[0] for line in placed_lines]
    lines = dict(zip(ids, lines_of(placed_lines, first=1), strict=True))
    return [lines[standing_id] for standing_id in standing_ids if standing_id in lines]


def lines_of(
    stored_lines: Sequence[FoundLine], *, first: int = 0, has_meta: bool = False
) -> list[DecodedLine]:
    """Lines of the driver, decoded; the values of all of them at once, for speed.

    first: the number of columns ahead of those of `STANDING`. has_meta: whether the column behind
    the others is the meta instead of a place.
    """
    if not stored_lines:
        return []
    who, end = first + len(STANDING), first + WIDTH
    after_participant = who + len(PARTICIPANT)
    columns = list(zip(*stored_lines, strict=True))
    key, unranked, attempts, reached, attempt, values, cells, families = columns[first:who]
    if connection.vendor != "postgresql":
        reached, attempt = tuple(map(_moment, reached)), tuple(map(UUID, attempt))
    rows = zip(
        repeat(None),
        repeat(False),
        unranked,
        map(_make, repeat(RowParticipant), zip(*columns[who:after_participant], strict=True)),
        attempt,
        read_numbers(f"[{','.join(values)}]"),
        [{} if cell == EMPTY else read_numbers(cell) for cell in cells],
        attempts,
        reached,
        key,
        [_further_values(line[after_participant:end]) for line in stored_lines]
        if OTHERS
        else repeat({}),
        repeat(None),
        [from_json(meta or EMPTY) for meta in columns[end]] if has_meta else repeat(NO_META),
        families,
        repeat(False),
        strict=False,
    )
    places = [line[end:] for line in stored_lines]
    return list(zip(map(_make, repeat(BoardRow), rows), places, strict=True))


def consecutive(
    lines: Sequence[DecodedLine], start: int, better: int, *, limit: int
) -> list[BoardRow]:
    """The first `limit` of some consecutive lines as rows.

    lines: these lines and, if there is one, the next line, which shows whether the last row is
    tied. start: how many lines are ahead of the first. better: how many of those have a smaller
    rank key.
    """
    keys = [row.sort_key[:-REACHED_LENGTH] for row, _ in lines]
    keys.append(b"")
    rows, last, rank, position = [], keys[0], better + 1, start
    for (row, _), (key, following) in zip(lines[:limit], pairwise(keys), strict=False):
        position += 1
        if key != last:
            rank, last = position, key
        rows.append(_ranked(row, rank, rank != position or key == following))
    return rows


def apart(
    board_id: int, lines: Sequence[DecodedLine], bucket_bounds: BucketBounds
) -> list[BoardRow]:
    """Lines from anywhere on a board as rows with their ranks.

    lines: with their places. bucket_bounds: those of the board.
    """
    bounds = [bucket_bounds.places.get(place[0]) for _, place in lines]
    if None in bounds:
        # The board has no buckets, or another process has just split one.
        ranks = places(board_id, {row.rank_key for row, _ in lines}, bucket_bounds)
        positions = [(ranks[row.rank_key], row) for row, _ in lines]
        return [_ranked(row, at.better + 1, at.tied) for at, row in positions]
    return [
        _ranked(row, before + more + 1, bool(tied))
        for (row, (_bucket, more, tied)), before in zip(lines, bounds, strict=True)
    ]


def _ranked(row: BoardRow, rank: int, tied: bool) -> BoardRow:
    """The row with its rank, unless the participant is unranked."""
    if row.sort_key[:1] != RANKED:
        return row
    return _make(BoardRow, (rank, tied) + row[2:])  # noqa: RUF005 - quicker than with a star


def _further_values(stored_values: Sequence[Any]) -> JsonObject:
    """The values of `OTHERS`, as a model instance would have them."""
    values = zip(OTHERS, stored_values, strict=True)
    return {column.name: from_database(column, value) for column, value in values}


def _array(ids: Sequence[int]) -> str:
    """Ids as one parameter: one text, because the driver writes list items singly."""
    numbers = ",".join(map(str, ids))
    return f"{{{numbers}}}" if connection.vendor == "postgresql" else f"[{numbers}]"


def _moment(value: Any) -> datetime:
    """A time read from SQLite: a text, or a datetime if Django has registered a converter."""
    parsed = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    return parsed.replace(tzinfo=UTC)
