"""Families: of rows that are configurations of one system, the best one stands for all.

They are a filter like others, chosen when rows are read. A folded page that is not kept sorts the
whole board: a fraction of a second with 100 000 rows. Intervals are of all rows, so it has none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from django.db.models import Count, F, IntegerField, Q, Window
from django.db.models.functions import RowNumber

from leaderboard.models import Board
from leaderboard.models.standing import StandingQuerySet
from leaderboard.services.board.reading.ranks import bucket_bounds_of
from leaderboard.services.board.reading.rows import BoardRow, apart, read_lines

MOST_VARIANTS: Final = 5
"""The most rows below the best one of a family."""


_NTH: Final = Window(RowNumber(), partition_by=F("family"), order_by=F("sort_key").asc())
"""The place of a standing in its family."""
_SIZE: Final = Window(Count("*", output_field=IntegerField()), partition_by=F("family"))


class Variants(NamedTuple):
    """The rows of a family behind its best one: how many there are, and the first of them."""

    number: int
    rows: list[BoardRow]


def folded(standings: StandingQuerySet) -> StandingQuerySet:
    """Those of the standings that are the best of their family, or have none."""
    named = standings.in_families().annotate(nth=_NTH)
    return standings.filter(Q(family="") | Q(pk__in=named.filter(nth=1).values("pk")))


def variants_of(
    board: Board, standings: StandingQuerySet, families: Collection[str]
) -> Mapping[str, Variants]:
    """The rows behind the best one, by family. standings: among which the best one is."""
    if not families:
        return {}
    named = standings.in_families().filter(family__in=families).annotate(nth=_NTH, size=_SIZE)
    variant_rows = named.filter(nth__gt=1, nth__lte=MOST_VARIANTS + 1).order_by("family", "nth")
    sizes = list(variant_rows.values_list("pk", "family", "size"))
    variants = {family: Variants(number - 1, []) for _pk, family, number in sizes}
    lines = read_lines([pk for pk, *_ in sizes]) if sizes else []
    for row in apart(board.read_pk, lines, bucket_bounds_of(board)) if lines else ():
        variants[row.family].rows.append(row)
    return variants
