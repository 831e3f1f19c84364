"""Reading a board: a page is one index range, and its ranks are two counts."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db import connection
from django.db.models import F, FloatField, Func, Q, Value
from django.db.models.expressions import OrderBy

from leaderboard.columns import Column, apply_overrides, columns_for, named_keys
from leaderboard.models import Challenge, Participant, ScoringConfig, Standing
from leaderboard.models.standing import StandingQuerySet
from leaderboard.rules.names import name_key
from leaderboard.rules.ranking import ranks
from leaderboard.rules.sortkey import REACHED_LENGTH
from leaderboard.services.refused import invalid
from leaderboard.services.reported import has_reported
from leaderboard.services.rows import Row, Unplaced, lines_from, lines_of

MAX_LIMIT = 500
ROWS_PER_READ = 2000
TOTALS_SECONDS = 3600
FOLLOWING = b"\x00"
"""Behind a sort key, this makes the next possible one."""
AFTER_EQUALS = b"\xff" * (REACHED_LENGTH + 1)
"""Behind a rank key, this sorts after every row that has the key."""


@dataclass(frozen=True, slots=True)
class Totals:
    total: int
    ranked: int


class _ValueOf(Func):
    """A number in a JSON column, by a name that may hold any character."""

    template = "(%(expressions)s)"
    arg_joiner = " -> "
    output_field = FloatField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, Any]:
        """Its paths have no escapes, and its `->` gives a text, not a number."""
        template, joiner = "(SELECT value FROM JSON_EACH(%(expressions)s)", ") WHERE key = "
        return self.as_sql(compiler, connection, template=template, arg_joiner=joiner, **context)


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
    columns = columns_under(challenge.shown, challenge.columns, challenge.values)
    return apply_overrides(columns, challenge.columns)


def columns_under(
    config: ScoringConfig, overrides: object, values: Sequence[str] = ()
) -> list[Column]:
    """The columns of a config's board, before the challenge labels them.

    overrides: the challenge's `columns`, whose keys are among them. values: names of reported
    values that the challenge declares.
    """
    return columns_for(
        config.strategy,
        [(key.key, key.direction) for key in config.ranking.keys],
        config.metric_specs,
        texts=config.text_specs,
        notes=config.metric_notes,
        rewards=config.declared_rewards,
        seen=config.metric_keys,
        named=[*named_keys(overrides), *values],
    )


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
    if not cursor:
        return _page(challenge.shown, b"", limit, 0)
    key = _decoded(cursor) + FOLLOWING
    return _page(challenge.shown, key, limit, _ahead(challenge.shown, key))


def page_number(challenge: Challenge, number: int, *, limit: int = 50) -> Page:
    """Page `number`, from 1. Only the index is read up to where the page begins."""
    start = (number - 1) * limit
    if start == 0:
        return _page(challenge.shown, b"", limit, 0)
    board = Standing.objects.of(challenge.shown)
    first = board.values_list("sort_key", flat=True)[start : start + 1].first()
    return (
        Page([], start, None)
        if first is None
        else _page(challenge.shown, bytes(first), limit, start)
    )


def search(challenge: Challenge, text: str, *, start: int = 0, limit: int = 50) -> Page:
    """Rows whose participant's name holds `text`, best first, ranked as on the whole board."""
    found = Standing.objects.of(challenge.shown).filter(_named(text))
    return Page(_apart(challenge, found[start : start + limit]), start, None)


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
    known = [column.key for column in columns_of(challenge)]
    if key not in known and not has_reported(challenge, key):
        raise invalid("sort", f"must be one of {', '.join(known)}; got {key!r}")
    value = F("reached_at") if key == "submitted_at" else _ValueOf("values", Value(key))
    order = OrderBy(value, descending=descending, nulls_last=True)
    found = Standing.objects.of(challenge.shown).filter(_named(text)).order_by(order, "sort_key")
    rows = _apart(challenge, found[start : start + limit])
    return Page(rows, start, None)


def standing_of(challenge: Challenge, participant: Participant) -> Row | None:
    """One participant's row, or None when it has no scored attempt."""
    rows = _apart(challenge, Standing.objects.of(challenge.shown).filter(participant=participant))
    return rows[0] if rows else None


def around(challenge: Challenge, row: Row, *, distance: int = 5) -> tuple[list[Row], list[Row]]:
    """The rows directly above and below one."""
    board = Standing.objects.of(challenge.shown)
    above = board.ahead_of(row.sort_key).reverse().values_list("sort_key", flat=True)[:distance]
    first = min([bytes(key) for key in above], default=row.sort_key)
    start = _ahead(challenge.shown, first)
    rows = _page(challenge.shown, first, len(above) + 1 + distance, start).rows
    return rows[: len(above)], rows[len(above) + 1 :]


def every_row(challenge: Challenge) -> Iterator[Row]:
    """The whole board in order, read in pieces; memory does not grow with it."""
    page = _page(challenge.shown, b"", ROWS_PER_READ, 0)
    yield from page.rows
    while page.next_cursor:
        key = page.rows[-1].sort_key + FOLLOWING
        page = _page(challenge.shown, key, ROWS_PER_READ, page.start + len(page.rows))
        yield from page.rows


def _ahead(config: ScoringConfig, key: bytes) -> int:
    return Standing.objects.of(config).ahead_of(key).count()


def _page(config: ScoringConfig, key: bytes, limit: int, start: int) -> Page:
    """`limit` rows from a sort key on, with `start` rows ahead of them."""
    lines = lines_from(config, key, limit + 1)
    rows = _consecutive(config, lines, start)[:limit]
    more = len(lines) > limit
    return Page(rows, start, _encoded(rows[-1].sort_key) if more else None)


def _consecutive(config: ScoringConfig, lines: Sequence[Unplaced], start: int) -> list[Row]:
    keys = [line.rank_key for line in lines]
    better = _ahead(config, keys[0]) if start and keys else start
    rows, following = [], [*keys[1:], b""]
    for at, rank in enumerate(ranks(keys, before=start, less=better)):
        tied = rank != start + at + 1 or keys[at] == following[at]
        rows.append(lines[at].at(rank, tied=tied))
    return rows


def _apart(challenge: Challenge, standings: StandingQuerySet) -> list[Row]:
    """Rows from anywhere on the board, ranked by one query."""
    lines = lines_of(standings)
    counted = census(challenge.shown, {line.rank_key for line in lines})
    return [
        line.at(counted[line.rank_key].better + 1, tied=counted[line.rank_key].equal > 1)
        for line in lines
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


def _encoded(sort_key: bytes) -> str:
    return base64.urlsafe_b64encode(sort_key).decode().rstrip("=")


def _decoded(cursor: str) -> bytes:
    try:
        return base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise invalid("cursor", "must be the `next` of an earlier answer") from None
