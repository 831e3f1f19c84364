"""How many standings a board has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.core.cache import cache

from leaderboard.models import Board, Standing
from leaderboard.rules.ranking.places import UNRANKED
from leaderboard.services.board.reading.ranks import ahead, bucket_bounds_of
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.reading.unranked_rows import OUT_OF_RANKING

TOTALS_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Totals:
    """How many standings a board has, and how many of them are ranked."""

    total: int
    ranked: int


def totals_of(board: Board) -> Totals:
    """How many standings the board has, and how many are ranked; counted once per version."""
    key = f"totals:{board.read_pk}:{board.version}"
    counts = cache.get(key)
    if counts is None:
        bounds = bucket_bounds_of(board)
        counts = (bounds.ahead[-1], ahead(board.read_pk, UNRANKED, bounds))
        cache.set(key, counts, TOTALS_SECONDS)
    return Totals(*counts)


def length_of(board: Board) -> int:
    """How many standings the board has."""
    return bucket_bounds_of(board).ahead[-1]


def totals_in(board: Board, rows: Iterable[BoardRow]) -> Totals | None:
    """The totals of a board, from its rows without a statement; None if there are further rows."""
    ranks = [row.rank for row in rows if row.unranked not in OUT_OF_RANKING]
    if len(ranks) != length_of(board):
        return None
    return Totals(len(ranks), sum(rank is not None for rank in ranks))


def without(totals: Totals, board: Board, attempt: UUID) -> Totals:
    """The totals of a board without the standing of an attempt, if it has one."""
    counted = Standing.objects.filter(board=board.read_pk, attempt=attempt)
    for unranked in counted.values_list("unranked", flat=True):
        totals = Totals(totals.total - 1, totals.ranked - (not unranked))
    return totals
