"""Reading a board: a page is one index range, and ranks are sums over buckets."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from leaderboard.columns import Column, apply_overrides, columns_for, named_keys
from leaderboard.models import Board, Challenge, Participant, ScoringConfig, Standing
from leaderboard.models.standing import StandingQuerySet
from leaderboard.rules.json.stored import StoredColumn
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.texts.value_names import TRIES_BEFORE
from leaderboard.rules.visibility.meta_values import MetaField
from leaderboard.schemas.choices import Disclose
from leaderboard.services.board.reading.meta_order import ids_by_meta
from leaderboard.services.board.reading.ranks import ahead, bucket_bounds_of
from leaderboard.services.board.reading.reported_columns import has_reported
from leaderboard.services.board.reading.row_filter import (
    PLACED,
    RowFilter,
    standings_named,
    with_places,
)
from leaderboard.services.board.reading.rows import (
    BoardRow,
    DecodedLine,
    apart,
    consecutive,
    read_among,
    read_lines,
    read_own,
    read_rows,
)
from leaderboard.services.board.reading.search import ids_named, named
from leaderboard.services.board.reading.sorting import ordered
from leaderboard.services.board.shares import is_share
from leaderboard.services.errors import invalid

MAX_LIMIT = 500
ROWS_PER_READ = 5000
ROWS_BEFORE = 4
FOLLOWING = b"\x00"
"""A suffix that turns a sort key into the next possible one."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some consecutive rows; `start` rows come before them. Cursors are opaque text.

    matches: how many rows fit the filter that was asked for; None without one.
    """

    rows: list[BoardRow]
    start: int
    next_cursor: str | None
    matches: int | None = None


def columns_of(challenge: Challenge) -> list[Column]:
    """The columns of the shown board: the ranking ones first, as the challenge labels them."""
    tells = challenge.config_visibility == Challenge.ConfigVisibility.PUBLIC
    columns = columns_under(challenge.shown, challenge.columns, challenge.values, tells=tells)
    columns = apply_overrides(columns, challenge.columns)
    if challenge.disclose != Disclose.EVERYONE:
        columns = [column for column in columns if column.key != TRIES_BEFORE]
    return columns


def columns_under(
    config: ScoringConfig,
    overrides: Sequence[StoredColumn],
    values: Sequence[str] = (),
    *,
    tells: bool = True,
) -> list[Column]:
    """The columns of a config's board, before the challenge labels them.

    overrides: the challenge's `columns`, whose keys are among them. values: names of reported
    values that the challenge declares. tells: whether descriptions contain the metrics' settings.
    """
    texts = config.named_specs
    columns = columns_for(
        [(key.key, key.direction) for key in config.ranking.keys],
        config.metric_specs,
        texts=texts if tells else [replace(spec, parameters={}) for spec in texts],
        notes=config.metric_notes,
        rewards=config.declared_rewards,
        value_keys=config.metric_keys,
        named=[*named_keys(overrides), *values],
    )
    return [replace(column, is_share=is_share(config, column.key)) for column in columns]


def page_after(board: Board, *, cursor: str = "", limit: int = 50) -> Page:
    """The rows after a cursor, or the first rows. Raises ServiceError for a wrong cursor."""
    if not cursor:
        first_lines = read_rows(board.read_pk, b"", limit + 1)
        return _page(first_lines, 0, 0, limit)
    key = _decoded(cursor) + FOLLOWING
    start = ahead(board.read_pk, key, bucket_bounds_of(board))
    lines = read_rows(board.read_pk, key, limit + 1)
    return _page(lines, start, _better(board, lines, key, start), limit)


def page_number(board: Board, number: int, *, limit: int = 50) -> Page:
    """Page `number`, counted from 1. Reads only the bucket in which the page begins."""
    return _page_at(board, (number - 1) * limit, limit)


def page_from(board: Board, start: int, *, limit: int = 50, with_meta: bool = False) -> Page:
    """`limit` rows after the first `start`. with_meta: with the meta of their attempts."""
    return _page_at(board, start, limit, with_meta=with_meta)


def search(board: Board, text: str, *, start: int = 0, limit: int = 50) -> Page:
    """Rows whose participant's name contains `text`, best first, with their ranks on the board."""
    ids = ids_named(board.challenge.tenant_id, text)
    if ids is None:
        walked = Standing.objects.of(board).filter(named(text))
        return Page(_apart(board, walked[start : start + limit]), start, None)
    return Page(_ranked(board, read_among(board.read_pk, ids, limit, start)), start, None)


def sorted_by(
    board: Board,
    key: str,
    *,
    descending: bool,
    start: int = 0,
    limit: int = 50,
    text: str = "",
    field: MetaField | None = None,
) -> Page:
    """Rows in the order of a shown value, empty cells last; ranks stay those of the board.

    With `text`, only the rows whose participant's name contains it. field: of meta, whose key is
    `key`.
    """
    if field is None:
        check_column(board, key)
    if not text and field is not None:
        ids = ids_by_meta(board, field, descending=descending, start=start, limit=limit)
        return Page(_ranked(board, read_lines(ids)), start, None)
    standings = ordered(standings_named(board, text), key, field, descending=descending)
    return Page(_apart(board, standings[start : start + limit]), start, None)


def matching(
    board: Board,
    wanted: RowFilter,
    key: str = "",
    *,
    descending: bool = False,
    start: int = 0,
    limit: int = 50,
    field: MetaField | None = None,
) -> Page:
    """Rows that fit a filter, best first, or in the order of a shown value (`key`).

    Ranks stay those of the board; `here` is the rank among the rows that fit.
    """
    standings = with_places(wanted.standings(board), with_ties=wanted.folds)
    if key:
        if field is None:
            check_column(board, key)
        standings = ordered(standings, key, field, descending=descending)
    else:
        standings = standings.order_by("sort_key")
    placed_standings = list(standings.values_list(*PLACED)[start : start + limit])
    here = {bytes(key): (place, same > 1) for _pk, key, place, same, _all in placed_standings}
    rows = _ranked(board, read_lines([pk for pk, *_ in placed_standings]))
    placed = [
        row if row.rank is None else _placed(row, *here[bytes(row.sort_key)])
        for row in rows
        if bytes(row.sort_key) in here
    ]
    return Page(placed, start, None, placed_standings[0][-1] if placed_standings else 0)


def _placed(row: BoardRow, here: int, tied: bool) -> BoardRow:
    return row._replace(here=here, tied_here=tied)


def check_column(board: Board, key: str, fields: Sequence[MetaField] = ()) -> None:
    """Refuse to sort by a value that the board does not have, or hides. Raises ServiceError.

    fields: those of meta that one may sort by as well.
    """
    keys = [column.key for column in columns_of(board.challenge) if column.is_kept]
    keys += [field.key for field in fields]
    hidden = {column["key"] for column in board.challenge.columns if column.get("hidden")}
    if key not in keys and (key in hidden or not has_reported(board, key)):
        raise invalid(
            "sort",
            _("must be one of {names}; got {sent}").format(names=", ".join(keys), sent=sent(key)),
        )


def standing_of(board: Board, participant: Participant) -> BoardRow | None:
    """A participant's row, or the first one of them; None without a scored attempt."""
    rows = _ranked(board, read_own(board.read_pk, participant.pk))
    return rows[0] if rows else None


def rows_of(board: Board, participant_ids: Sequence[int], *, limit: int) -> list[BoardRow]:
    """The first rows of some participants, in the order of the board."""
    return _ranked(board, read_among(board.read_pk, participant_ids, limit, 0))


def around(
    board: Board, row: BoardRow, *, distance: int = 5
) -> tuple[list[BoardRow], list[BoardRow]]:
    """Up to `distance` rows directly above and below a row."""
    at = ahead(board.read_pk, row.sort_key, bucket_bounds_of(board))
    above = min(at, distance)
    rows = _page_at(board, at - above, above + 1 + distance).rows
    is_there = len(rows) > above and rows[above].sort_key == row.sort_key
    return rows[:above], rows[above + is_there :][:distance]


def every_row(board: Board) -> Iterator[BoardRow]:
    """The whole board in order, read in pieces; memory does not grow with the board."""
    key, start, better = b"", 0, 0
    while lines := read_rows(board.read_pk, key, ROWS_PER_READ + 1):
        rows = consecutive(lines, start, better, limit=ROWS_PER_READ)
        yield from rows
        if len(lines) <= ROWS_PER_READ:
            return
        following = lines[-1][0].rank_key
        same = [at for at, row in enumerate(rows) if row.rank_key == following]
        if not same:
            better = start + len(rows)
        elif same[0]:
            better = start + same[0]
        start, key = start + len(rows), rows[-1].sort_key + FOLLOWING


def _page_at(board: Board, start: int, limit: int, *, with_meta: bool = False) -> Page:
    """`limit` rows after the first `start`. A few rows before them are read as well.

    They tell the rank of the first row, unless all of them are tied with it.
    """
    begin = max(start - ROWS_BEFORE, 0)
    low, before = bucket_bounds_of(board).before(begin) if begin else (b"", 0)
    most = start - begin + limit + 1
    lines = read_rows(board.read_pk, low, most, begin - before, with_meta=with_meta)
    rows = lines[start - begin :]
    better = start
    if rows:
        rank_key = rows[0][0].rank_key
        for row, _ in reversed(lines[: start - begin]):
            if not row.sort_key.startswith(rank_key):
                break
            better -= 1
        if better == begin > 0:
            better = ahead(board.read_pk, rank_key, bucket_bounds_of(board))
    return _page(rows, start, better, limit)


def _page(lines: Sequence[DecodedLine], start: int, better: int, limit: int) -> Page:
    """A page of `limit` rows. lines: its lines and, if there is one, the line after them."""
    rows = consecutive(lines, start, better, limit=limit)
    more = len(lines) > limit
    return Page(rows, start, _encoded(rows[-1].sort_key) if more else None)


def _better(board: Board, lines: Sequence[DecodedLine], before: bytes, start: int) -> int:
    """How many of the `start` standings ahead have a smaller rank key than the first of these.

    before: a key directly ahead of them. Unless it has the same rank key, all of them do.
    """
    if not lines:
        return start
    rank_key = lines[0][0].rank_key
    if not before.startswith(rank_key):
        return start
    return ahead(board.read_pk, rank_key, bucket_bounds_of(board))


def _apart(board: Board, standings: StandingQuerySet) -> list[BoardRow]:
    """The rows of a query whose rows are not consecutive, in its order."""
    return _ranked(board, read_lines(list(standings.values_list("pk", flat=True))))


def _ranked(board: Board, lines: Sequence[DecodedLine]) -> list[BoardRow]:
    """Lines from anywhere on a board, with their ranks."""
    return apart(board.read_pk, lines, bucket_bounds_of(board)) if lines else []


def _encoded(sort_key: bytes) -> str:
    return base64.urlsafe_b64encode(sort_key).decode().rstrip("=")


def _decoded(cursor: str) -> bytes:
    try:
        return base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise invalid("cursor", _("must be the `next` of an earlier answer"), got=cursor) from None
