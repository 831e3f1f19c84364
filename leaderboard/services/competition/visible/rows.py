"""Rows of a board that a reader asks for by a filter, and what a reader may not ask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NoReturn, Protocol

from django.utils.translation import gettext as _

from leaderboard.models import Board
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.visibility.meta_values import fields_of
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.ranking import Page
from leaderboard.services.board.reading.row_filter import RowFilter, RowsAsked
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.reading.unranked_rows import with_rows_out_of_ranking
from leaderboard.services.errors import invalid

ROWS_PER_PIECE: Final = 2000
NO_ROWS: Final = Page([], 0, None)


class AskedBoard(Protocol):
    """A `VisibleBoard`, as far as it is needed here."""

    @property
    def board(self) -> Board: ...
    @property
    def is_whole(self) -> bool: ...
    @property
    def lists_names(self) -> bool: ...
    @property
    def lists_verified(self) -> bool: ...
    @property
    def lists_meta(self) -> bool: ...
    @property
    def lists_families(self) -> bool: ...
    @property
    def sorts(self) -> bool: ...
    def out_of_ranking(self, asked: RowsAsked) -> list[BoardRow]: ...
    def page_of(self, asked: RowsAsked, *, start: int, limit: int) -> Page: ...


def check_rows(board: AskedBoard, asked: RowsAsked) -> None:
    """Refuse rows and orders that would reveal hidden data. Raises ServiceError."""
    check_filter(board, asked.wanted)
    if asked.key or asked.descending:
        if not board.sorts or (asked.field and not board.lists_meta):
            refuse("sort", asked.key)
        declared = board.board.challenge.meta_fields if board.lists_meta else []
        ranking.check_column(board.board, asked.key, fields_of(declared))


def check_filter(board: AskedBoard, wanted: RowFilter) -> None:
    """Refuse a filter that would reveal hidden data. Raises ServiceError."""
    if wanted.verified and not board.lists_verified:
        wrong = _("must be 0, because the organisers hide the board or attempts; got 1")
        raise invalid("verified", wrong)
    if wanted.text and not board.lists_names:
        refuse("search", wanted.text)
    if wanted.kind and not board.is_whole:
        refuse("participant_kind", wanted.kind)
    if wanted.meta and not board.lists_meta:
        refuse("meta", ", ".join(test.name for test in wanted.meta))
    if (wanted.family or wanted.folds) and not board.lists_families:
        refuse("family" if wanted.family else "families", wanted.family or "best")
    if wanted.complete and not board.sorts:
        refuse("complete", ", ".join(wanted.complete))
    if wanted.bracket and not board.lists_names:
        refuse("bracket", wanted.bracket)


def refuse(field: str, value: str) -> NoReturn:
    wrong = _("must be empty, because the organisers hide names or values of the board; got {sent}")
    raise invalid(field, wrong.format(sent=sent(value)))


def every_match(board: AskedBoard, asked: RowsAsked) -> Iterator[BoardRow]:
    """All rows that are asked for, in pieces, with those out of the ranking."""
    out_of_ranking, start, more = board.out_of_ranking(asked), 0, True
    while more:
        page = NO_ROWS
        if asked.has_ranked:
            page = board.page_of(asked, start=start, limit=ROWS_PER_PIECE + 1)
        more = len(page.rows) > ROWS_PER_PIECE
        yield from with_rows_out_of_ranking(
            page.rows[:ROWS_PER_PIECE],
            out_of_ranking,
            is_first=start == 0,
            following=page.rows[ROWS_PER_PIECE] if more else None,
            asked=asked,
        )
        start += ROWS_PER_PIECE


def start_of(cursor: str) -> int:
    """The row at which a page begins, of a reader whose cursors count rows. Raises ServiceError."""
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) <= 9):
        raise invalid("cursor", _("must be the `next` of an earlier answer"), got=cursor)
    return int(cursor)
