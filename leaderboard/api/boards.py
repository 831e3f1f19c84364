"""Rows of a board as JSON and CSV. Written by hand, as a board may have 100 000 of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any, cast

from leaderboard.api.board_shapes import (
    CellJson,
    ColumnJson,
    ParticipantJson,
    ReportedJson,
    RescoringJson,
    RowJson,
    VerifiedJson,
)
from leaderboard.api.spreadsheets import PLAIN, Style
from leaderboard.columns import Column, known_columns
from leaderboard.models import Challenge, Participant, ScoringConfig, Verification
from leaderboard.rules.cells import margin
from leaderboard.rules.reductions import Level
from leaderboard.rules.value_names import ECONOMICS, free_name
from leaderboard.schemas.metrics import spec_of
from leaderboard.schemas.text_metrics import text_spec_of
from leaderboard.services.board.reported import Unlisted, reported_columns
from leaderboard.services.board.rows import Row, RowParticipant
from leaderboard.services.challenges.rescores import progress_of
from leaderboard.services.competition.marks import RowMarks
from leaderboard.services.competition.seen_board import ALL_KINDS, SeenBoard

FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""Characters that begin a formula in spreadsheets."""
ROWS_PER_CHUNK = 200
PARTICIPANT_COLUMNS = ("rank", "participant", "slug", "name", "kind")
WHAT = ("attempts", "reached_at", "attempt", "unranked")
"""Names of the CSV's columns before and behind those of the board."""
OVER = ("defined", "total")
CELL = (*OVER, "low", "high", "margin")
"""The CSV's further columns of a metric's value: `physics (defined)` and so on."""
LEVEL = "level"
VERIFIED = ("verified_by", "verified_at", "verified_link")
"""The last columns of the CSV of a challenge in which attempts were verified."""
REPORTED: ReportedJson = {"level": "reported"}


def column_json(column: Column) -> ColumnJson:
    return {
        "key": column.key,
        "label": column.label,
        "description": column.description,
        "direction": column.direction,
        "unit": column.unit,
        "decimals": column.decimals,
        "ranked": column.ranked,
    }


def row_json(
    row: Row,
    columns: Sequence[Column],
    unlisted: Unlisted | None = None,
    marks: RowMarks | None = None,
) -> RowJson:
    """A row with the values of `columns`, and a cell for each: its level, or why it is empty.

    unlisted: adds the reported values that no column shows. marks: what organisers say of rows.
    """
    found = {column.key: value_in(row, column) for column in columns}
    cells = {column.key: _cell(row, column, found[column.key]) for column in columns}
    beside = unlisted.of(row) if unlisted else {}
    return {
        "rank": row.rank,
        "tied": row.tied,
        "unranked": row.unranked or None,
        "disqualified_reason": marks.reason(row) if marks else None,
        "verified": _verified(row, marks),
        "participant": participant_json(row.participant),
        "attempt": _attempt(row),
        "score": row.values.get("score"),
        "values": {**{key: each for key, each in found.items() if key != "score"}, **beside},
        "cells": cells | dict.fromkeys(beside, REPORTED),
        "attempts": row.attempts,
        "reached_at": moment(row.reached_at),
    }


def participant_json(participant: Participant | RowParticipant) -> ParticipantJson:
    return {
        "handle": participant.handle,
        "slug": participant.slug,
        "name": participant.shown_name,
        "kind": participant.kind,
    }


def rescoring_json(challenge: Challenge) -> RescoringJson | None:
    """The progress of a rescore while the board shows an older version; None without one."""
    if challenge.shown_config_id == challenge.newest_config_id:
        return None
    newest = challenge.newest
    if not newest.is_rescoring:
        return None
    progress = progress_of(newest)
    return {"scoring_version": newest.number, "done": progress.done, "total": progress.total}


def jsonl(
    board: SeenBoard,
    columns: Sequence[Column],
    unlisted: Unlisted | None = None,
    *,
    kinds: Collection[str] = ALL_KINDS,
) -> Iterator[str]:
    """The whole board, a row per line. kinds: which rows."""
    marks = RowMarks(board.challenge)
    yield from _in_chunks(
        json.dumps(row_json(row, columns, unlisted, marks), ensure_ascii=False) + "\n"
        for row in board.every_row(kinds)
    )


def csv_text(
    board: SeenBoard,
    columns: Sequence[Column],
    unlisted: Unlisted | None = None,
    style: Style = PLAIN,
    *,
    kinds: Collection[str] = ALL_KINDS,
) -> Iterator[str]:
    """The whole board as CSV: an empty cell is empty, and no text begins a formula.

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
    lines = _csv_lines(board, [*columns, *beside], style, kinds)
    # One buffer for all lines of a piece: each piece sent costs more than a line written.
    while piece := list(islice(lines, ROWS_PER_CHUNK)):
        writer.writerows(piece)
        yield text.getvalue()
        text.seek(0)
        text.truncate()


def value_in(row: Row, column: Column) -> float | None:
    """The value of a column in a row; the time it was reached is in seconds since 1970."""
    if column.key == "submitted_at":
        return row.reached_at.timestamp()
    return column.value(row.values)


def moment(at: Any) -> str:
    """ISO 8601 in UTC, as all moments of the API."""
    return str(at.isoformat()).replace("+00:00", "Z")


def _verified(row: Row, marks: RowMarks | None) -> VerifiedJson | None:
    found = marks.verified(row) if marks else None
    if found is None:
        return None
    return {"by": found.name, "link": found.link, "at": moment(found.at)}


def _attempt(row: Row) -> str | None:
    return None if row.attempt_id is None else str(row.attempt_id)


def _cell(row: Row, column: Column, value: float | None) -> CellJson:
    """The facts about a value: at least its level, or the reason why there is none."""
    said = _said(row, column.key)
    if ends := said.get("interval"):
        said = {**said, "margin": margin(ends)}
    if value is not None:
        return {"level": column.level, **said}
    if "reason" in said:
        return said
    return {"reason": "failed" if row.unranked == "failed" else "undefined", **said}


def _said(row: Row, key: str) -> CellJson:
    """The stored facts about a metric value; a reported one is computed over no tasks."""
    said = cast(CellJson, row.cells.get(key) or {})
    if said.get("level") == "reported":
        return cast(CellJson, {name: fact for name, fact in said.items() if name not in OVER})
    return said


def _csv_lines(
    board: SeenBoard, columns: Sequence[Column], style: Style, kinds: Collection[str]
) -> Iterator[Sequence[Any]]:
    config = board.board.config
    measured = [column for column in columns if _is_measured(config, column.key)]
    told = [column for column in columns if column in measured or column.key not in known_columns()]
    marks = RowMarks(board.challenge) if board.challenge.has_marks else None
    yield _csv_head(columns, measured, told, VERIFIED if marks else ())
    for row in board.every_row(kinds):
        who = row.participant
        line = [row.rank, *map(_guarded, (who.handle, who.slug, who.shown_name)), who.kind]
        line += [value_in(row, column) for column in columns]
        line += [row.attempts, moment(row.reached_at), _attempt(row), row.unranked]
        for column in measured:
            line += _csv_cell(_said(row, column.key))
        line += [_level(row, column) for column in told]
        if marks:
            line += _csv_verified(marks.verified(row))
        yield line if style.decimal == "." else [style.number(value) for value in line]


def _csv_head(
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


def _csv_verified(found: Verification | None) -> Sequence[str | None]:
    """The values of `VERIFIED`."""
    if found is None:
        return (None, None, None)
    return _guarded(found.name), moment(found.at), found.link or None


def _csv_cell(cell: CellJson) -> tuple[float | None, ...]:
    """The values of the parts of `CELL`."""
    over, ends = (cell.get("defined"), cell.get("total")), cell.get("interval")
    return (*over, *ends, margin(ends)) if ends else (*over, None, None, None)


def _level(row: Row, column: Column) -> Level | None:
    """Whether the value in a row is computed or reported; None if there is none."""
    if value_in(row, column) is None:
        return None
    return _said(row, column.key).get("level", column.level)


def _is_measured(config: ScoringConfig, key: str) -> bool:
    if key in ECONOMICS or spec_of(key, config.metric_specs):
        return True
    return text_spec_of(key, config.text_specs) is not None


def _guarded(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip().startswith(FORMULA):
        return f"'{value}"
    return value


def _in_chunks(lines: Iterator[str]) -> Iterator[str]:
    """Lines joined into fewer, larger pieces, because sending a piece costs more than a line."""
    waiting: list[str] = []
    for line in lines:
        waiting.append(line)
        if len(waiting) == ROWS_PER_CHUNK:
            yield "".join(waiting)
            waiting.clear()
    yield "".join(waiting)
