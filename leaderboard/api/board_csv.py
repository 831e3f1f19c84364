"""The whole board as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from leaderboard.api.board_shapes import CellJson
from leaderboard.api.boards import (
    OVER,
    ROWS_PER_CHUNK,
    attempt_in,
    moment,
    public_rank_of,
    stored_facts,
    value_in,
)
from leaderboard.api.spreadsheets import PLAIN, Style
from leaderboard.columns import Column, known_columns
from leaderboard.models import ScoringConfig, Verification
from leaderboard.rules.cells import margin
from leaderboard.rules.meta_values import MetaField
from leaderboard.rules.reductions import Level
from leaderboard.rules.value_names import ECONOMICS, free_name
from leaderboard.schemas.metrics import spec_of
from leaderboard.schemas.text_metrics import text_spec_of
from leaderboard.services.board.public_ranks import PublicRanks
from leaderboard.services.board.reported import Unlisted, reported_columns
from leaderboard.services.board.row_filter import EVERY_ROW, RowsAsked
from leaderboard.services.board.rows import Row
from leaderboard.services.competition.marks import RowMarks
from leaderboard.services.competition.seen_board import SeenBoard

FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""Characters that begin a formula in spreadsheets."""
PARTICIPANT_COLUMNS = ("rank", "participant", "slug", "name", "kind")
WHAT = ("attempts", "reached_at", "attempt", "unranked")
"""Names of the CSV's columns before and behind those of the board."""
CELL = (*OVER, "low", "high", "margin")
"""The CSV's further columns of a metric's value: `physics (defined)` and so on."""
LEVEL = "level"
PUBLIC = ("public_rank",)
"""The column after those of the values, in the CSV of a final board."""
VERIFIED = ("verified_by", "verified_at", "verified_link")
"""The last columns of the CSV of a challenge in which attempts were verified."""


def csv_text(
    board: SeenBoard,
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
    `physics (margin)`; then `physics (level)`: whether the value is computed or reported.
    """
    sees_values = unlisted is not None and board.is_whole
    beside = reported_columns(board.board, columns) if sees_values else []
    text = io.StringIO()
    writer = csv.writer(text, delimiter=style.delimiter)
    text.write(style.start)
    lines = _lines(board, [*columns, *beside], style, asked, meta)
    # One buffer for all lines of a piece: each piece sent costs more than a line written.
    while piece := list(islice(lines, ROWS_PER_CHUNK)):
        writer.writerows(piece)
        yield text.getvalue()
        text.seek(0)
        text.truncate()


def _lines(
    board: SeenBoard,
    columns: Sequence[Column],
    style: Style,
    asked: RowsAsked,
    meta: Sequence[MetaField],
) -> Iterator[Sequence[Any]]:
    config = board.board.config
    measured = [column for column in columns if _is_measured(config, column.key)]
    told = [column for column in columns if column in measured or column.key not in known_columns()]
    marks = RowMarks(board.challenge) if board.challenge.has_marks else None
    public = PublicRanks(board.board)
    last = (*(PUBLIC if public.are_kept else ()), *(VERIFIED if marks else ()))
    last = (*last, *(field.key for field in meta))
    yield _head(columns, measured, told, last)
    for row in board.every_row(asked):
        who = row.participant
        line = [row.rank, *map(_guarded, (who.handle, who.slug, who.shown_name)), who.kind]
        line += [value_in(row, column) for column in columns]
        line += [row.attempts, moment(row.reached_at), attempt_in(row), row.unranked]
        for column in measured:
            line += _cell(stored_facts(row, column.key))
        line += [_level(row, column) for column in told]
        if public.are_kept:
            line.append(public_rank_of(row, public))
        if marks:
            line += _verified(marks.verified(row))
        line += [_guarded(row.meta.get(field.name)) for field in meta]
        yield line if style.decimal == "." else [style.number(value) for value in line]


def _head(
    columns: Sequence[Column],
    measured: Sequence[Column],
    told: Sequence[Column],
    last: Sequence[str],
) -> list[str]:
    """The names of the CSV's columns, each once.

    measured: those whose values have the parts of `CELL`. told: those whose values have a level.
    last: the names behind all others.
    """
    names = [*PARTICIPANT_COLUMNS, *(column.key for column in columns), *WHAT]
    for column in measured:
        names += [free_name(f"{column.key} ({part})", names) for part in CELL]
    for column in told:
        names.append(free_name(f"{column.key} ({LEVEL})", names))
    for name in last:
        names.append(free_name(name, names))
    return [_guarded(name) for name in names]


def _verified(found: Verification | None) -> Sequence[str | None]:
    """The values of `VERIFIED`."""
    if found is None:
        return (None, None, None)
    return _guarded(found.name), moment(found.at), found.link or None


def _cell(cell: CellJson) -> tuple[float | None, ...]:
    """The values of the parts of `CELL`."""
    over, ends = (cell.get("defined"), cell.get("total")), cell.get("interval")
    return (*over, *ends, margin(ends)) if ends else (*over, None, None, None)


def _level(row: Row, column: Column) -> Level | None:
    """Whether the value in a row is computed or reported; None if there is none."""
    if value_in(row, column) is None:
        return None
    return stored_facts(row, column.key).get("level", column.level)


def _is_measured(config: ScoringConfig, key: str) -> bool:
    if key in ECONOMICS or spec_of(key, config.metric_specs):
        return True
    return text_spec_of(key, config.text_specs) is not None


def _guarded(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip().startswith(FORMULA):
        return f"'{value}"
    return value
