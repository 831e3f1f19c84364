"""Reading a board: a page is one index range, and its ranks are two counts."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, pairwise
from typing import NamedTuple
from uuid import UUID

from django.core.cache import cache
from django.db import connection
from django.db.models import F, Q
from django.db.models.expressions import OrderBy

from leaderboard.columns import Column, apply_overrides, columns_for
from leaderboard.models import Challenge, Participant, ScoringConfig, Standing
from leaderboard.models.standing import StandingQuerySet
from leaderboard.rules.names import name_key
from leaderboard.rules.ranking import ranks
from leaderboard.rules.sortkey import REACHED_LENGTH
from leaderboard.services.refused import invalid

MAX_LIMIT = 500
ROWS_PER_READ = 2000
TOTALS_SECONDS = 3600
AFTER_EQUALS = b"\xff" * (REACHED_LENGTH + 1)
"""Behind a rank key, this sorts after every row that has the key."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the board. `rank` is None for an unranked participant, with the reason."""

    rank: int | None
    tied: bool
    unranked: str
    participant: Participant
    attempt_id: UUID
    values: dict[str, float]
    attempts: int
    reached_at: datetime
    sort_key: bytes


@dataclass(frozen=True, slots=True)
class Totals:
    total: int
    ranked: int


class Census(NamedTuple):
    """How many stand ahead of a rank key, and how many have it."""

    better: int
    equal: int


@dataclass(frozen=True, slots=True)
class Page:
    """Some consecutive rows; `start` rows stand before them. Cursors are opaque text."""

    rows: list[Row]
    start: int
    next_cursor: str | None


def columns_of(challenge: Challenge) -> list[Column]:
    """The columns of the shown board: the ranking ones first, as the challenge labels them."""
    config = challenge.shown
    keys = [(key.key, key.direction) for key in config.ranking.keys]
    return apply_overrides(columns_for(config.strategy, keys), challenge.columns)


def totals_of(challenge: Challenge) -> Totals:
    """How many stand on the board, and how many of them are ranked; counted once per version."""
    key = f"totals:{challenge.shown_config_id}:{challenge.board_version}"
    found = cache.get(key)
    if found is None:
        board = Standing.objects.of(challenge.shown)
        found = (board.count(), board.ranked().count())
        cache.set(key, found, TOTALS_SECONDS)
    return Totals(*found)


def page_after(challenge: Challenge, *, cursor: str = "", limit: int = 50) -> Page:
    """The rows after a cursor; the first ones without. Raises Refused for a wrong cursor."""
    board = Standing.objects.of(challenge.shown)
    if not cursor:
        return _page(board, board, limit, 0)
    after = _decoded(cursor)
    start = board.filter(sort_key__lte=after).count()
    return _page(board, board.filter(sort_key__gt=after), limit, start)


def page_number(challenge: Challenge, number: int, *, limit: int = 50) -> Page:
    """Page `number`, from 1. Only the index is read up to where the page begins."""
    start = (number - 1) * limit
    board = Standing.objects.of(challenge.shown)
    if start == 0:
        return _page(board, board, limit, 0)
    first = board.values_list("sort_key", flat=True)[start : start + 1].first()
    if first is None:
        return Page([], start, None)
    return _page(board, board.filter(sort_key__gte=bytes(first)), limit, start)


def search(challenge: Challenge, text: str, *, start: int = 0, limit: int = 50) -> Page:
    """Rows whose participant's name holds `text`, best first, ranked as on the whole board."""
    found = Standing.objects.of(challenge.shown).filter(_named(text))
    return Page(_apart(challenge, found.with_names()[start : start + limit]), start, None)


def sorted_by(
    challenge: Challenge,
    key: str,
    *,
    descending: bool,
    start: int = 0,
    limit: int = 50,
    text: str = "",
) -> Page:
    """Rows in the order of a shown value, empty cells last; ranks stay those of the board.

    With `text`, only the rows whose participant's name holds it.
    """
    if key not in {column.key for column in columns_of(challenge)}:
        raise invalid("sort", f"must be one of {', '.join(c.key for c in columns_of(challenge))}")
    value = F("reached_at") if key == "submitted_at" else F(f"values__{key}")
    order = OrderBy(value, descending=descending, nulls_last=True)
    found = Standing.objects.of(challenge.shown).filter(_named(text)).order_by(order, "sort_key")
    rows = _apart(challenge, found.with_names()[start : start + limit])
    return Page(rows, start, None)


def standing_of(challenge: Challenge, participant: Participant) -> Row | None:
    """One participant's row, or None when it has no scored attempt."""
    found = Standing.objects.of(challenge.shown).filter(participant=participant).with_names()
    rows = _apart(challenge, found)
    return rows[0] if rows else None


def around(challenge: Challenge, row: Row, *, distance: int = 5) -> tuple[list[Row], list[Row]]:
    """The rows directly above and below one."""
    board = Standing.objects.of(challenge.shown)
    above = board.ahead_of(row.sort_key).reverse().with_names()[:distance]
    first = min([bytes(each.sort_key) for each in above], default=row.sort_key)
    start = board.ahead_of(first).count()
    page = _page(board, board.filter(sort_key__gte=first), len(above) + 1 + distance, start)
    return page.rows[: len(above)], page.rows[len(above) + 1 :]


def every_row(challenge: Challenge) -> Iterator[Row]:
    """The whole board in order, read in pieces; memory does not grow with it."""
    board = Standing.objects.of(challenge.shown)
    page = _page(board, board, ROWS_PER_READ, 0)
    yield from page.rows
    while page.next_cursor:
        rest = board.filter(sort_key__gt=page.rows[-1].sort_key)
        page = _page(board, rest, ROWS_PER_READ, page.start + len(page.rows))
        yield from page.rows


def _page(board: StandingQuerySet, rest: StandingQuerySet, limit: int, start: int) -> Page:
    """The first `limit` rows of `rest`, which begins `start` rows into the board."""
    found = list(rest.with_names()[: limit + 1])
    rows = _consecutive(board, found, start)[:limit]
    more = len(found) > limit
    return Page(rows, start, _encoded(rows[-1].sort_key) if more else None)


def _consecutive(board: StandingQuerySet, standings: Sequence[Standing], start: int) -> list[Row]:
    keys = [standing.rank_key for standing in standings]
    better = board.ahead_of(keys[0]).count() if start and keys else start
    numbers = list(ranks(keys, before=start, less=better))
    return [
        _row(
            standing,
            numbers[at],
            tied=numbers[at] != start + at + 1 or keys[at] in keys[at + 1 : at + 2],
        )
        for at, standing in enumerate(standings)
    ]


def _apart(challenge: Challenge, standings: Sequence[Standing] | StandingQuerySet) -> list[Row]:
    """Rows from anywhere on the board, ranked by one query."""
    counted = census(challenge.shown, {standing.rank_key for standing in standings})
    return [
        _row(
            standing,
            counted[standing.rank_key].better + 1,
            tied=counted[standing.rank_key].equal > 1,
        )
        for standing in standings
    ]


def census(config: ScoringConfig, rank_keys: Collection[bytes]) -> dict[bytes, Census]:
    """Who is ahead of each rank key and who shares it, in one query.

    Counting from one key to the next reads each row of the board's index at most once.
    """
    keys = sorted(rank_keys)
    if not keys:
        return {}
    edges = [b"", *(edge for key in keys for edge in (key, key + AFTER_EQUALS))]
    between = _counts_between(config, edges)
    below = list(accumulate(between))
    return {key: Census(below[2 * at], between[2 * at + 1]) for at, key in enumerate(keys)}


def _counts_between(config: ScoringConfig, edges: Sequence[bytes]) -> list[int]:
    """How many sort keys of a board lie between each edge and the next."""
    table = connection.ops.quote_name(Standing._meta.db_table)
    count = (
        f"(SELECT COUNT(*) FROM {table} WHERE config_id = %s"  # noqa: S608 - a table of ours
        " AND sort_key >= %s AND sort_key < %s)"
    )
    ranges = [value for low, high in pairwise(edges) for value in (config.pk, low, high)]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join([count] * (len(edges) - 1))}", ranges)
        return list(cursor.fetchone())


def _named(text: str) -> Q:
    if not text:
        return Q()
    return Q(participant__handle_key__contains=name_key(text)) | Q(
        participant__name__icontains=text
    )


def _row(standing: Standing, rank: int, *, tied: bool) -> Row:
    ranked = not standing.unranked
    return Row(
        rank=rank if ranked else None,
        tied=tied and ranked,
        unranked=standing.unranked,
        participant=standing.participant,
        attempt_id=standing.attempt_id,
        values=standing.values,
        attempts=standing.attempts,
        reached_at=standing.reached_at,
        sort_key=bytes(standing.sort_key),
    )


def _encoded(sort_key: bytes) -> str:
    return base64.urlsafe_b64encode(sort_key).decode().rstrip("=")


def _decoded(cursor: str) -> bytes:
    try:
        return base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise invalid("cursor", "must be the `next` of an earlier answer") from None
