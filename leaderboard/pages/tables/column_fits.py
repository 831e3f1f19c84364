"""Which columns of a board a window has room for: the first ones, and always those that decide.

A column has a class that says from which width of the board on it is there. A reader who wants all
of them ticks a box below the table, which then scrolls.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from leaderboard.columns import Column
from leaderboard.pages.tables.board_table import (
    BETWEEN,
    PIXELS,
    SMALL,
    TableHeader,
    TableLine,
    beside_values,
    meta_widths,
    value_widths,
)

STEPS: Final = (36, 42, 48, 54, 60, 66, 75)
"""Widths of a board for which the style sheet has a class, in rem; the last is that of the widest
window."""
REM: Final = 16
LEAST: Final = 44
"""The characters for ranks and names."""
NEVER: Final = "from-never"
SORTED: Final = "sorted"
"""The class of the column by which the rows are in order: it is always there."""


class ColumnFits(NamedTuple):
    """The class of each column. without: that of what is shown where a column is left out."""

    cells: Sequence[str] = ()
    strip: str = ""
    meta: Sequence[str] = ()
    attempts: str = ""
    without: str = ""

    def in_order(self, orders: Sequence[str], meta_orders: Sequence[str]) -> ColumnFits:
        """With the class of the column that the rows are in order by. orders: of each column, ""
        for none."""
        return self._replace(
            cells=_always(orders, self.cells), meta=_always(meta_orders, self.meta)
        )


def column_fits(
    columns: Sequence[Column],
    heads: Sequence[TableHeader],
    meta_labels: Sequence[str],
    rows: Sequence[TableLine],
    *,
    strip: float,
) -> ColumnFits:
    """From which width on each column is shown.

    The first column, those that the board ranks by and the one that rows are in order by come
    first, then the strip of tasks, the
    others in their order, fields of meta, and the number of attempts. strip: the width of the
    strips, in pixels; 0 for none.
    """
    ranked = [
        at
        for at, (column, head) in enumerate(zip(columns, heads, strict=True))
        if column.ranked or not at or head.sorted
    ]
    values, widths = value_widths(heads, rows), dict[str | int, float]()
    widths |= {at: values[at] for at in ranked}
    if strip:
        widths["strip"] = strip / PIXELS + BETWEEN
    widths |= {at: width for at, width in enumerate(values) if at not in ranked}
    metas = [f"meta {label}" for label in meta_labels]
    widths |= dict(zip(metas, meta_widths(meta_labels, rows), strict=True))
    widths["attempts"] = SMALL * len("Attempts") + BETWEEN
    ends = list(accumulate(widths.values(), initial=LEAST + beside_values(rows)))[1:]
    classes = dict(zip(widths, map(_class, ends), strict=True)) | dict.fromkeys(ranked, "")
    return ColumnFits(
        [classes[at] for at in range(len(columns))],
        classes.get("strip", ""),
        [classes[meta] for meta in metas],
        classes["attempts"],
        classes["attempts"].replace("from", "below"),
    )


def _always(orders: Sequence[str], fits: Sequence[str]) -> Sequence[str]:
    if not any(orders):
        return fits
    return [
        SORTED if order else fit
        for order, fit in zip(orders, fits or [""] * len(orders), strict=True)
    ]


def _class(characters: float) -> str:
    """The class of a column that ends after so many characters."""
    width = characters * PIXELS / REM
    return next((f"from-{step}" for step in STEPS if width <= step), NEVER)
