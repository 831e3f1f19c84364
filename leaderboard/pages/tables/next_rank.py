"""How far an attempt is from the next rank, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.columns import Column
from leaderboard.languages.translation import count_text
from leaderboard.pages.charts.axes import MILLISECONDS
from leaderboard.pages.tables.differences import difference_writer
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.next_rank import Gap, gap_of

MOST_DECIMALS: Final = 9
_WHOLE: Final = 2.0**53
"""From here on, floats have no fraction that could be rounded up."""


def next_rank(
    board: VisibleBoard, row: BoardRow | None, columns: Sequence[Column]
) -> SafeString | str:
    """`0.012 more would be rank 3, level with Orrery.`; "" if there is nothing to say.

    row: that of the attempt.
    """
    gap = gap_of(board, row) if row is not None else None
    if row is None or gap is None:
        return ""
    who, rank = gap.other.participant, gap.other.rank or 0
    columns_by_key = {column.key: column for column in columns}
    link = format_html(
        '<a href="{}"><bdi>{}</bdi></a>',
        reverse("participant", args=[board.challenge.slug, who.slug]),
        who.shown_name,
    )
    parts = {"name": link, "rank": count_text(rank), "first": columns[0].label}
    column = columns_by_key.get(gap.key)
    if gap.difference is None or column is None:
        return format_html(_by_time(row), **parts)
    is_ahead = row.rank == 1 or gap.key != columns[0].key
    written = difference_writer(column) if is_ahead else partial(gap_text, column)
    parts |= {"gap": written(gap.difference), "label": column.label}
    return format_html(_by_value(row, gap, column, columns[0]), **parts)


def gap_text(column: Column, difference: float) -> str:
    """A difference that suffices to reach the other value: with two digits, rounded up."""
    unit = 1000.0 if column.unit == MILLISECONDS else 1.0 / column.scale
    in_unit = difference / unit
    is_exact = math.isclose(in_unit, round(in_unit, column.decimals), abs_tol=1e-9)
    needed = 0 if is_exact else 1 - math.floor(math.log10(in_unit))
    decimals = min(MOST_DECIMALS, max(column.decimals, needed))
    step = unit / 10**decimals
    steps = difference / step
    least = math.ceil(round(steps, 3)) * step if steps < _WHOLE else difference
    return difference_writer(replace(column, decimals=decimals))(least)


def _by_time(row: BoardRow) -> str:
    if row.rank == 1:
        return _("{name} at rank {rank} has the same values and was later.")
    return _("{name} at rank {rank} has the same values and was earlier.")


def _by_value(row: BoardRow, gap: Gap, column: Column, first: Column) -> str:
    if gap.key != first.key:
        if row.rank == 1:
            return _("It has the same {first} as {name} at rank {rank}; {label} differs by {gap}.")
        return _("{name} at rank {rank} has the same {first}; {label} differs by {gap}.")
    if row.rank == 1:
        return _("It is {gap} ahead of {name} at rank {rank}.")
    if column.direction == "asc":
        return _("{gap} less would be rank {rank}, level with {name}.")
    return _("{gap} more would be rank {rank}, level with {name}.")
