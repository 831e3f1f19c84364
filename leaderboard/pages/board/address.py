"""The short address of a view of a board: without what is the same on every board.

A form without JavaScript sends all of its fields, also the empty ones and the usual columns.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.http import HttpRequest

from leaderboard.columns import named_keys
from leaderboard.pages.tables.board_table import filled, keys_in
from leaderboard.pages.tables.rows import BoardParameters
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.board_contents import meta_fields_of


def short_address(
    request: HttpRequest, board: VisibleBoard, asked: BoardParameters, rows: Iterable[BoardRow]
) -> str | None:
    """The address of the same view, if it has a shorter one than this.

    rows: the first ones of the board and those of the page, which decide its columns.
    """
    query = request.GET.copy()
    for name in list(query):
        if not any(query.getlist(name)):
            del query[name]
    if asked.columns:
        usual, fixed = _usual(board, asked, rows)
        if {*asked.columns, *fixed} == usual:
            del query["columns"]
        else:
            query.setlist("columns", [",".join(dict.fromkeys(asked.columns))])
    if dict(query.lists()) == dict(request.GET.lists()):
        return None
    query_text = query.urlencode(safe=",")
    return f"{request.path}?{query_text}" if query_text else request.path


def _usual(
    board: VisibleBoard, asked: BoardParameters, rows: Iterable[BoardRow]
) -> tuple[set[str], set[str]]:
    """The keys of the columns that are shown without a choice, and of those always shown."""
    challenge = board.challenge
    keys = keys_in(rows) | {*named_keys(challenge.columns), asked.key}
    columns = filled(ranking.columns_of(challenge), keys)
    fields = [field for field in meta_fields_of(board) if field.shown]
    usual = {column.key for column in columns} | {field.key for field in fields}
    return usual, {column.key for column in columns if column.ranked}
