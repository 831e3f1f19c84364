"""Intervals of a table's main column, drawn on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from leaderboard.columns import Column
from leaderboard.pages.charts.interval import Scale, interval_chart, scale_of
from leaderboard.pages.tables.board_table import TableLine
from leaderboard.pages.tables.cell_texts import CellTexts
from leaderboard.services.board.reading.rows import BoardRow


def with_intervals(
    columns: Sequence[Column],
    rows: Sequence[BoardRow],
    lines: Sequence[TableLine],
    *,
    first: Sequence[BoardRow],
) -> list[TableLine]:
    """The lines of some rows, with the intervals of the first column drawn instead of ±.

    first: the first rows of the board, so that all pages of it have about the same scale, and the
    leader's value is known.
    """
    scale = _scale(columns, [*first, *rows])
    if scale is None:
        return list(lines)
    texts = CellTexts(columns[0])
    return [_drawn(texts, scale, row, line) for row, line in zip(rows, lines, strict=True)]


def _scale(columns: Sequence[Column], rows: Sequence[BoardRow]) -> Scale | None:
    if not columns:
        return None
    column, ranked = columns[0], [row for row in rows if row.rank is not None]
    values = [value for row in rows if (value := column.value(row.values)) is not None]
    leader = next((column.value(row.values) for row in ranked if row.rank == 1), None)
    intervals = [ends for row in rows if (ends := _interval(column, row))]
    return scale_of(values, intervals, leader)


def _drawn(texts: CellTexts, scale: Scale, row: BoardRow, line: TableLine) -> TableLine:
    column = texts.column
    value, ends = column.value(row.values), _interval(column, row)
    if value is None:
        return line
    text = (
        _("95%: {interval}").format(interval=texts.interval(row.cells[column.key])) if ends else ""
    )
    picture = interval_chart(scale, value, ends)
    main = replace(line.cells[0], picture=picture, interval=text, spread="")
    return replace(line, cells=[main, *line.cells[1:]])


def _interval(column: Column, row: BoardRow) -> Sequence[float] | None:
    cell = row.cells.get(column.key)
    return cell.get("interval") if cell else None
