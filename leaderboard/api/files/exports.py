"""Boards as files besides CSV and lines of JSON: one JSON document, and a table in Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from leaderboard.api.files.board_shapes import BoardJson, RowJson
from leaderboard.api.files.boards import in_chunks, row_facts, row_json, value_in
from leaderboard.columns import Column
from leaderboard.rules.rewards.cells import is_even, is_reported, margin
from leaderboard.rules.visibility.meta_values import MetaField
from leaderboard.services.board.reading.reported_columns import Unlisted
from leaderboard.services.board.reading.row_filter import EVERY_ROW, RowsAsked
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.organisers.marks import RowMarks
from leaderboard.services.competition.organisers.provenance import RowProvenance
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import VisibleCertainty, certainty_of

_MARKED: Final = re.compile(r"([\\`*_{}\[\]<>|~#])")
"""Characters that mean something in Markdown."""
_SPACE: Final = re.compile(r"\s+")


def document(
    board: VisibleBoard,
    columns: Sequence[Column],
    unlisted: Unlisted | None = None,
    *,
    asked: RowsAsked = EVERY_ROW,
    meta: Sequence[MetaField] = (),
    state: BoardJson,
) -> Iterator[str]:
    """A JSON document with the fields of `state` and all rows that are asked for, as in pages."""
    facts = row_facts(board, meta=meta)
    rows = (row_json(row, columns, unlisted, facts) for row in board.every_row(asked))
    yield from in_chunks(_pieces(state, rows))


def markdown(
    board: VisibleBoard,
    columns: Sequence[Column],
    unlisted: Unlisted | None = None,
    *,
    asked: RowsAsked = EVERY_ROW,
    meta: Sequence[MetaField] = (),
) -> Iterator[str]:
    """A table with the rows that are asked for, with values as pages show them in English.

    unlisted: is left out, because a table for people has only the columns of the board.
    """
    labels = [*map(_label, columns), *(field.label for field in meta)]
    labels = [_cell_text(label) for label in labels]
    here = asked.wanted.narrows
    heads = [*(["Here"] if here else []), "Rank", "Participant", *labels, "Attempts"]
    heads.append("Provenance")
    sides = ["---:" for _head in heads]
    sides[heads.index("Participant")] = sides[-1] = ":---"
    certain, provenance = certainty_of(board), RowProvenance(board, RowMarks(board.challenge))
    lines = (
        [
            *_markdown_row(row, columns, meta, certain, here=here),
            provenance.of(row) or "–",
        ]
        for row in board.every_row(asked)
    )
    yield from in_chunks(_line(cells) for cells in (heads, sides))
    yield from in_chunks(map(_line, lines))


def _pieces(state: BoardJson, rows: Iterator[RowJson]) -> Iterator[str]:
    head = json.dumps({**state, "next": None}, ensure_ascii=False)
    yield f'{head[:-1]}, "rows": ['
    before = "\n"
    for row in rows:
        yield before + json.dumps(row, ensure_ascii=False)
        before = ",\n"
    yield "\n]}\n"


def _markdown_row(
    row: BoardRow,
    columns: Sequence[Column],
    meta: Sequence[MetaField],
    certain: VisibleCertainty | None,
    *,
    here: bool,
) -> list[str]:
    """here: whether the row begins with its rank among those that are asked for."""
    rank = _rank_text(row, certain)
    attempts = "–" if row.attempts is None else str(row.attempts)
    values = [_value_text(row, column) for column in columns]
    texts = [_cell_text(row.meta.get(field.name) or "–") for field in meta]
    first = ["–" if row.here is None else f"{row.here}"] if here else []
    return [*first, rank, _cell_text(row.participant.shown_name), *values, *texts, attempts]


def _rank_text(row: BoardRow, certain: VisibleCertainty | None) -> str:
    """`2= (1–4)`: a rank with its interval, if it has one."""
    if row.rank is None:
        return "–"
    rank = f"{row.rank}{'=' if row.tied else ''}"
    ranks = certain.of(row) if certain else None
    if ranks is None or ranks.best is None or ranks.worst is None:
        return rank
    ends = f"{ranks.best}–{ranks.worst}" if ranks.best != ranks.worst else f"{ranks.best}"
    return f"{rank} ({ends})"


def _value_text(row: BoardRow, column: Column) -> str:
    """`0.92 ± 0.08`: a value with its 95 % interval, if it has one; `0.9 (reported)`."""
    text = column.text(value_in(row, column))
    cell = row.cells.get(column.key)
    ends = cell.get("interval") if cell else None
    is_marked = cell is not None and is_reported(cell) and column.level == "computed"
    value = column.value(row.values)
    if ends and value is not None:
        text = f"{text} {_uncertainty(column, value, ends)}"
    return _cell_text(f"{text} (reported)" if is_marked else text)


def _uncertainty(column: Column, value: float, ends: Sequence[float]) -> str:
    """`± 0.08`, or `(0.82 to 1.00)` for an interval that reaches farther on one side."""
    if is_even(value * column.scale, [end * column.scale for end in ends], column.decimals):
        return f"± {column.written(margin(ends))}"
    low, high = map(column.written, ends)
    return f"({low} to {high})"


def _label(column: Column) -> str:
    return column.label if column.level == "computed" else f"{column.label}, reported"


def _cell_text(text: str) -> str:
    return _MARKED.sub(r"\\\1", _SPACE.sub(" ", text).strip())


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"
