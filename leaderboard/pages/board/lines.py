"""The table of a board: the lines of its rows, their columns, and what stands around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from django.http import HttpRequest

from leaderboard.columns import Column, named_keys
from leaderboard.pages.board.deciding_key import deciding_key
from leaderboard.pages.board.details import BoardQuestion, BoardTable, details
from leaderboard.pages.board.families import ranked_here, with_variants
from leaderboard.pages.board.form import Choosable, board_form
from leaderboard.pages.board.pictures import Pictures, pictures_of
from leaderboard.pages.labels import row_labels
from leaderboard.pages.tables.best_cells import with_best
from leaderboard.pages.tables.board_table import (
    TableLine,
    are_noted,
    filled,
    headers,
    keys_in,
    lines,
)
from leaderboard.pages.tables.column_fits import ColumnFits, column_fits
from leaderboard.pages.tables.column_groups import group_heads
from leaderboard.pages.tables.drawn_intervals import with_intervals
from leaderboard.pages.tables.meta import meta_cells, meta_heads
from leaderboard.pages.tables.row_marks import with_marks, with_medals
from leaderboard.pages.tables.rows import chosen_columns
from leaderboard.pages.tables.verdict import (
    BoardVerdict,
    board_verdict,
    verdict_of_times,
    with_certainty,
)
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.standings.public_ranks import has_finals
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.board_contents import first_rows, meta_fields_of
from leaderboard.services.competition.visible.certainty import VisibleCertainty


class ShownTable(NamedTuple):
    """The table of a page: what its template reads, and its columns and fields of meta.

    choosable: all columns that the reader may choose. chosen: those of the page.
    """

    context: PageContext
    choosable: Choosable
    chosen: Choosable


def table_of(request: HttpRequest, question: BoardQuestion) -> ShownTable:
    """What the template shows of the rows: their cells, the verdict and the pictures.

    Raises WrongParameter for a column that the board does not have.
    """
    board, asked, contents = question
    first = contents.first
    choosable, chosen = _columns(question)
    table = _table(question, choosable, chosen)
    form = board_form(request, board, asked, choosable=choosable, chosen=chosen, rows=first)
    context = {
        "form": form,
        "shown_keys": [
            *(column.key for column in chosen.columns),
            *(field.key for field in chosen.fields),
        ],
        "meta_heads": meta_heads(chosen.fields, asked.sort),
        "can_compare": len(first) > 1,
        "verdict": _verdict(board, contents.certain, table.columns, first),
        "is_judging": contents.is_judging,
        "strategy": row_labels.strategy(board.challenge.shown, table.columns),
        "pictures": _pictures(board, table.columns, first) if asked.begins else None,
        **_lines_context(request, question, table, can_compare=len(first) > 1),
    }
    return ShownTable(context, choosable, chosen)


def columns_shown(board: VisibleBoard) -> list[Column]:
    """The columns of the first page: those that ranked rows fill or that the challenge names."""
    keys = keys_in(first_rows(board)) | set(named_keys(board.challenge.columns))
    return row_labels.spoken(filled(ranking.columns_of(board.challenge), keys))


def _columns(question: BoardQuestion) -> tuple[Choosable, Choosable]:
    """The columns that the reader may choose, and those of the page."""
    board, asked, contents = question
    challenge = board.challenge
    keys = keys_in([*contents.first, *contents.rows])
    keys |= {*named_keys(challenge.columns), asked.key, *asked.columns}
    columns = row_labels.spoken(filled(ranking.columns_of(challenge), keys))
    fields = meta_fields_of(board)
    return Choosable(columns, fields), Choosable(*chosen_columns(asked, columns, fields))


def _table(question: BoardQuestion, choosable: Choosable, chosen: Choosable) -> BoardTable:
    """The rows as lines, with their meta."""
    drawn = [
        replace(line, meta=meta_cells(chosen.fields, row))
        for line, row in zip(_lines(question, chosen.columns), question.rows, strict=True)
    ]
    return BoardTable(choosable.columns, chosen.columns, drawn, chosen.fields)


def _lines(question: BoardQuestion, columns: list[Column]) -> list[TableLine]:
    """The lines. With families folded, ranks are among them, and have no intervals."""
    board, rows, is_folded = question.board, question.rows, question.asked.wanted.folds
    contents = question.contents
    drawn = lines(columns, ranked_here(rows) if is_folded else rows)
    table_lines = with_marks(board.board, rows, drawn)
    table_lines = with_medals(board, rows, table_lines)
    table_lines = with_intervals(columns, rows, table_lines, first=contents.first)
    if is_folded:
        return with_variants(question, columns, table_lines)
    ranked = sum(row.rank is not None for row in rows)
    if contents.totals and ranked == contents.totals.ranked:
        table_lines = with_best(columns, rows, table_lines)
    return with_certainty(contents.certain, rows, table_lines)


def _lines_context(
    request: HttpRequest, question: BoardQuestion, table: BoardTable, *, can_compare: bool
) -> PageContext:
    """The lines with their headers and details, and how wide they are.

    can_compare: whether each line has a box to choose it for a comparison.
    """
    about, heads = details(request, question, table), headers(table.columns, question.asked.sort)
    table_lines, asked, strip = about.lines, question.asked, about.strip_width
    labels = [field.label for field in table.fields]
    has_choice = bool(asked.columns) or asked.notes
    fits = (
        ColumnFits()
        if has_choice
        else column_fits(table.columns, heads, labels, table_lines, strip=strip)
    )
    meta_orders = [head.sorted for head in meta_heads(table.fields, asked.sort)]
    fits = fits.in_order([head.sorted for head in heads], meta_orders)
    return {
        "headers": heads,
        "group_heads": group_heads(
            question.board.board.config,
            table.columns,
            fits.cells,
            strip=fits.strip if strip else None,
            is_whole=question.board.is_whole,
        ),
        "ranked": [line for line in table_lines if not line.reason],
        "unranked": [line for line in table_lines if line.reason],
        "is_wide": has_choice,
        "fits": fits,
        "width": 3 + len(heads) + len(table.fields) + can_compare + bool(strip),
        "are_noted": are_noted(line.cells for line in table_lines),
        "are_drawn": any(cell.picture for line in table_lines for cell in line.cells[:1]),
        "has_moves": not has_finals(question.board.board)
        and any(line.move for line in table_lines),
        **about.template_context(),
    }


def _verdict(
    board: VisibleBoard,
    certain: VisibleCertainty | None,
    columns: Sequence[Column],
    first: Sequence[BoardRow],
) -> BoardVerdict | None:
    if not columns:
        return None
    if certain:
        verdict = board_verdict(certain, columns, first, board.challenge.slug)
        decides = deciding_key(first, columns)
        return replace(verdict, remarks=[decides, *verdict.remarks]) if decides else verdict
    return verdict_of_times(first, columns[0]) if board.is_whole else None


def _pictures(
    board: VisibleBoard, columns: Sequence[Column], first: Sequence[BoardRow]
) -> Pictures | None:
    """The small pictures; none for a reader who does not see all rows."""
    return pictures_of(board.board.config, columns, first) if board.is_whole else None
