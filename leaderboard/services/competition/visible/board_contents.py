"""Everything that a page of a board shows of the board, read by one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from leaderboard.rules.visibility.meta_values import MetaField, fields_of
from leaderboard.services.board.reading.ranking import Page
from leaderboard.services.board.reading.row_filter import RowsAsked
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.reading.totals import Totals
from leaderboard.services.board.reading.unranked_rows import with_rows_out_of_ranking
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import (
    VisibleCertainty,
    certainty_in,
    is_judging,
    stored_certainty,
)
from leaderboard.services.competition.visible.rows import check_rows
from leaderboard.services.competition.visible.summary import VisibleSummary, summary_in

ROWS_PER_PAGE: Final = 50


@dataclass(frozen=True, slots=True)
class BoardContents:
    """What a page of a board is drawn from.

    first: the first rows of the board, which decide the columns of every page, so that a search
    never loses a column. rows: those of the page, with rows out of the ranking between them; both
    with their meta if the reader sees fields of it. matches: how many rows fit a filter; None
    without one. length: how many rows there are to turn pages of; None if they were not counted.
    totals: None for a reader who does not see all rows.
    """

    first: Sequence[BoardRow]
    rows: Sequence[BoardRow]
    matches: int | None
    length: int | None
    has_next: bool
    totals: Totals | None
    certain: VisibleCertainty | None
    is_judging: bool
    summary: VisibleSummary


def read_contents(
    board: VisibleBoard, asked: RowsAsked, *, number: int, size: int
) -> BoardContents:
    """What page `number`, counted from 1, of the rows that are asked for is drawn from.

    Raises ServiceError for a filter or an order that would reveal what is hidden.
    """
    check_rows(board, asked)
    is_plain = asked.is_whole and asked.has_ranked
    page, has_next = _page(board, asked, number, size)
    length = (board.length() or len(page.rows)) if is_plain else page.matches
    rows: Sequence[BoardRow] = page.rows
    first = rows if is_plain and number == 1 else first_rows(board)
    totals = board.totals(first)
    if meta_fields_of(board):
        first, rows = _with_metas(board, first, rows)
    judged = stored_certainty(board)
    return BoardContents(
        first,
        rows,
        page.matches,
        length,
        has_next,
        totals,
        certainty_in(board, judged, first),
        is_judging(board),
        summary_in(board, judged),
    )


def first_rows(board: VisibleBoard) -> list[BoardRow]:
    """The rows that decide the columns of a board."""
    has_meta = bool(meta_fields_of(board))
    return board.page_number(1, limit=ROWS_PER_PAGE, with_meta=has_meta).rows


def meta_fields_of(board: VisibleBoard) -> list[MetaField]:
    """The declared fields of meta that the reader sees."""
    declared = board.challenge.meta_fields
    return fields_of(declared) if declared and board.lists_meta else []


def _page(board: VisibleBoard, asked: RowsAsked, number: int, size: int) -> tuple[Page, bool]:
    """The rows of a page, and whether others follow."""
    start = (number - 1) * size
    if not asked.has_ranked:
        return Page(list(board.every_row(asked)), 0, None), False
    out_of_ranking = board.out_of_ranking(asked)
    page = board.page_of(asked, start=start, limit=size + 1)
    has_next = len(page.rows) > size
    rows = with_rows_out_of_ranking(
        page.rows[:size],
        out_of_ranking,
        is_first=number == 1,
        following=page.rows[size] if has_next else None,
        asked=asked,
    )
    return replace(page, rows=rows), has_next


def _with_metas(
    board: VisibleBoard, first: Sequence[BoardRow], rows: Sequence[BoardRow]
) -> tuple[Sequence[BoardRow], Sequence[BoardRow]]:
    """The first rows of a board and those of a page, with their meta, by one statement."""
    both = board.with_meta(first if rows is first else [*first, *rows])
    return (both, both) if rows is first else (both[: len(first)], both[len(first) :])
