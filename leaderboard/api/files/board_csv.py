"""The whole board as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from leaderboard.api.files.board_table import FileColumns, cell_parts, level_in, rank_ends
from leaderboard.api.files.boards import (
    ROWS_PER_CHUNK,
    attempt_in,
    moment,
    public_rank_of,
    stored_facts,
    values_in,
)
from leaderboard.api.files.spreadsheets import PLAIN, Style
from leaderboard.columns import Column
from leaderboard.models import Verification
from leaderboard.rules.texts.spreadsheet_cells import guarded
from leaderboard.rules.visibility.meta_values import MetaField
from leaderboard.services.board.reading.reported_columns import Unlisted
from leaderboard.services.board.reading.row_filter import EVERY_ROW, RowsAsked
from leaderboard.services.competition.visible.board import VisibleBoard


def csv_text(
    board: VisibleBoard,
    columns: Sequence[Column],
    unlisted: Unlisted | None = None,
    style: Style = PLAIN,
    *,
    asked: RowsAsked = EVERY_ROW,
    meta: Sequence[MetaField] = (),
) -> Iterator[str]:
    """The rows that are asked for as CSV: an empty cell is empty, and no text begins a formula.

    unlisted: adds columns for the reported values of ranked rows that `columns` do not show.
    The last columns describe the values of metrics: `physics (defined)` of `physics (total)` tasks,
    and the 95 % interval from `physics (low)` to `physics (high)`, with half of its width as
    `physics (margin)`; then `physics (level)`: whether the value is computed or reported;
    and the rank interval from `rank (low)` to `rank (high)`, if the board has rank intervals.
    """
    text = io.StringIO()
    writer = csv.writer(text, delimiter=style.delimiter)
    text.write(style.start)
    lines = _lines(board, FileColumns.of(board, columns, unlisted, meta, asked), style, asked)
    # One buffer for all lines of a piece: each piece sent costs more than a line written.
    while piece := list(islice(lines, ROWS_PER_CHUNK)):
        writer.writerows(piece)
        yield text.getvalue()
        text.seek(0)
        text.truncate()


def _lines(
    board: VisibleBoard, table: FileColumns, style: Style, asked: RowsAsked
) -> Iterator[Sequence[Any]]:
    yield [guarded(name) for name in table.names]
    values_of, measured, with_level = values_in(table.columns), table.measured, table.with_level
    public, marks = table.public, table.marks
    for row in board.every_row(asked):
        who = row.participant
        line: list[Any] = [
            row.rank,
            *map(guarded, (who.handle, who.slug, who.shown_name)),
            who.kind,
        ]
        line += values_of(row)
        line += [row.attempts, moment(row.reached_at), attempt_in(row), row.unranked]
        for column in measured:
            line += cell_parts(stored_facts(row, column.key))
        line += [level_in(row, column) for column in with_level]
        if table.certain:
            line += rank_ends(row, table.certain)
        if public.are_kept:
            line.append(public_rank_of(row, public))
        line += [of(row) for _name, of in table.stated]
        if marks:
            line += _verified(marks.verified(row))
        if table.late.are_there:
            line.append(str(table.late.has(row)).lower())
        line += [guarded(of(row)) for _name, of in table.classes]
        if table.ranks_here:
            line.append(row.here)
        line += [guarded(row.meta.get(field.name)) for field in table.meta]
        yield line if style.decimal == "." else [style.number(value) for value in line]


def _verified(verification: Verification | None) -> Sequence[str | None]:
    """The values of `VERIFIED`."""
    if verification is None:
        return (None, None, None)
    return guarded(verification.name), moment(verification.at), verification.link or None
