"""Rows out of the ranking, such as baselines: they stand in their places without a rank.

They have boards of their own, so that they change no rank of others; a page gets those that belong
between its rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from django.db import connection

from leaderboard.models import Board
from leaderboard.models.prepared import fetch
from leaderboard.rules.visibility.meta_values import place_of
from leaderboard.schemas.choices import RowKind
from leaderboard.services.board.reading.row_filter import EVERY_ROW, RowsAsked
from leaderboard.services.board.reading.row_sql import out_of_ranking_sql
from leaderboard.services.board.reading.rows import BoardRow, lines_of

MOST: Final = 200
"""The most rows out of the ranking that a board shows."""
OUT_OF_RANKING: Final = tuple(kind.value for kind in RowKind if kind is not RowKind.RANKED)
"""The kinds of rows out of the ranking; `unranked` of such a row is its kind."""


def rows_out_of_ranking(board: Board, kinds: Collection[str] = OUT_OF_RANKING) -> list[BoardRow]:
    """The rows out of the ranking that belong to a board, of these kinds, in its order."""
    beside = board.board_out_of_ranking
    if beside is None:
        return []
    lines_out_of_ranking = fetch(out_of_ranking_sql(connection.vendor, MOST), [beside.read_pk])
    return [
        row._replace(unranked=row.unranked or kind)
        for (kind, *_), (row, _) in zip(
            lines_out_of_ranking, lines_of(lines_out_of_ranking, first=1), strict=True
        )
        if kind in kinds
    ]


def with_rows_out_of_ranking(
    rows: Sequence[BoardRow],
    out_of_ranking: Iterable[BoardRow],
    *,
    is_first: bool,
    following: BoardRow | None = None,
    asked: RowsAsked = EVERY_ROW,
) -> list[BoardRow]:
    """Consecutive rows of a list with those out of the ranking that belong between them.

    is_first: whether the list begins with these rows. following: the row behind them, if there is
    one. asked: the order of the list. For one by a field of meta, all rows have their meta.
    """
    if not rows and not is_first:
        return []
    waiting = sorted(
        (_place(placed_row, asked), at, placed_row) for at, placed_row in enumerate(out_of_ranking)
    )
    low = None if is_first else _place(rows[0], asked)
    high = _place(following, asked) if following else None
    waiting = [
        row for row in waiting if (low is None or row[0] > low) and (high is None or row[0] < high)
    ]
    all_rows: list[BoardRow] = []
    for row in rows:
        place = _place(row, asked)
        while waiting and waiting[0][0] < place:
            all_rows.append(waiting.pop(0)[2])
        all_rows.append(row)
    return [*all_rows, *(placed[2] for placed in waiting)]


def merged(rows: Iterable[BoardRow], out_of_ranking: Sequence[BoardRow]) -> Iterator[BoardRow]:
    """All rows of a board with those out of the ranking, in the order of the board."""
    waiting = list(out_of_ranking)
    for row in rows:
        while waiting and waiting[0].sort_key < row.sort_key:
            yield waiting.pop(0)
        yield row
    yield from waiting


def _place(row: BoardRow, asked: RowsAsked) -> tuple[Any, ...]:
    """What orders rows by a column, or by the order of the board; empty cells come last."""
    if not asked.key:
        return (row.sort_key,)
    value = _value(row, asked)
    if value is None:
        return (1, row.sort_key)
    return (0, _reversed(value) if asked.descending else value, row.sort_key)


def _value(row: BoardRow, asked: RowsAsked) -> float | bytes | None:
    if asked.field is not None:
        return place_of(asked.field, row.meta.get(asked.field.name, ""))
    return row.reached_at.timestamp() if asked.key == "submitted_at" else row.values.get(asked.key)


def _reversed(value: float | bytes) -> float | bytes:
    """A value that is smaller the larger the given one is."""
    if isinstance(value, float | int):
        return -value
    return bytes(255 - byte for byte in value) + b"\xff"
