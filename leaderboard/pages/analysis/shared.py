"""Common parts of the pages with charts and comparisons of a board."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from leaderboard.languages.translation import count_text
from leaderboard.models import Board, Challenge
from leaderboard.pages.labels.visibility import what_is_hidden
from leaderboard.pages.shared.access import board_for, challenge_or_404
from leaderboard.pages.shared.phases import phase_tabs
from leaderboard.pages.tables.rows import refuse_the_past
from leaderboard.rules.visibility.view import Extent
from leaderboard.services.board.boards import board_of, current_board, shown_boards
from leaderboard.services.board.reading.row_filter import RowsAsked
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.reading.unranked_rows import OUT_OF_RANKING
from leaderboard.services.competition.visible.board import VisibleBoard

MOST_ROWS = 500
"""The most ranked rows that a chart shows."""


class Analysed(NamedTuple):
    """A board that a page of charts is about. boards: of all phases; stored: this one's."""

    challenge: Challenge
    board: VisibleBoard
    boards: list[Board]
    stored: Board
    phase: str

    def context(self, part: str) -> Mapping[str, object]:
        """The context of every such page. part: the name of the page."""
        return {
            "challenge": self.challenge,
            "tab": "analysis",
            "part": part,
            "phase": self.phase,
            "phase_tabs": phase_tabs(self.boards, self.stored),
            "frozen_since": self.board.frozen_since,
            "is_filling": not self.board.board.is_complete,
            "hidden": what_is_hidden(self.board.view),
            "sees_none": self.board.view.board is Extent.NONE,
        }


def analysed(request: HttpRequest, slug: str) -> Analysed:
    """The board of a challenge that `?phase=` asks for, as the reader sees it. Raises Http404."""
    challenge = challenge_or_404(request, slug)
    refuse_the_past(request)
    boards, phase = shown_boards(challenge), request.GET.get("phase", "")
    stored = board_of(boards, phase) if phase else current_board(boards)
    if stored is None:
        raise Http404("There is no such phase.")
    return Analysed(challenge, board_for(request, stored), boards, stored, phase)


def first_rows(board: VisibleBoard, most: int) -> tuple[list[BoardRow], str]:
    """The first rows of a board with those out of the ranking, and what is left out, in words.

    most: how many rows of the ranking.
    """
    page = board.page_from(0, limit=most)
    total = board.length()
    left_out = ""
    if total is not None and total > most:
        text = _("Only the first {shown} of {total} rows of the board are shown.")
        left_out = text.format(shown=count_text(most), total=count_text(total))
    out_of_ranking = board.out_of_ranking(RowsAsked(OUT_OF_RANKING)) if board.is_whole else []
    return sorted([*page.rows, *out_of_ranking], key=lambda row: row.sort_key), left_out
