"""`/c/{slug}/reveal/`: the final board of a frozen phase, from the last place to the first.

For a projector: each step is an answer of its own, so that no page holds what is still to come.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.models import Board, Challenge
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.splits import awaited_finals
from leaderboard.pages.shared.access import board_for, challenge_or_404, is_reviewer
from leaderboard.pages.tables.board_table import TableLine, lines
from leaderboard.pages.tables.verdict import with_certainty
from leaderboard.rules.ranking.reveal_steps import reveal_steps
from leaderboard.services.board.boards import board_of, current_board, shown_boards
from leaderboard.services.board.reading.ranking import columns_of
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import certainty_of

MOST: Final = 1000
"""The places that are revealed; a longer board begins with the last of these."""
SHOWN: Final = 12
"""The most rows of a step, the newest at the top."""


class RevealedLine(NamedTuple):
    """A row of a step. moved: how many ranks it has risen since the freeze; None if it is new.

    is_new: whether this step reveals it.
    """

    line: TableLine
    moved: int | None
    is_new: bool

    @property
    def fallen(self) -> int:
        return -(self.moved or 0)


@require_safe
@never_cache
def reveal_page(request: HttpRequest, slug: str) -> HttpResponse:
    """`?phase=` chooses the phase, `?step=` the step; step 0 shows nothing yet.

    Where private tasks count at the end, there are no steps before their scores are computed: the
    order on the public tasks is not the final one.
    """
    challenge = challenge_or_404(request, slug)
    stored = _board_asked(challenge, request.GET.get("phase", ""))
    board = board_for(request, stored)
    organiser = is_reviewer(request, challenge)
    if not _may_watch(stored, organiser=organiser) or not board.is_whole:
        raise Http404("There is nothing to reveal.")
    frozen = stored.phase.is_frozen(timezone.now())
    awaited = awaited_finals(challenge.shown, stored.phase, frozen=frozen)
    listed = [] if awaited else board.page_from(0, limit=MOST).rows
    rows = [row for row in listed if row.rank is not None]
    steps = reveal_steps([row.rank or 0 for row in rows])
    step = _step_asked(request, len(steps))
    step_range = steps[step - 1] if step else range(len(rows), len(rows))
    context = {
        "challenge": challenge,
        "phase": stored.phase,
        "step": step,
        "steps": len(steps),
        "awaited": awaited,
        "previous": step - 1 if step else None,
        "next": step + 1 if step < len(steps) else None,
        "rows": _lines(board, rows, step_range),
        "count": row_labels.count(len(rows), "participant"),
        "organiser": organiser,
    }
    return render(request, "pages/reveal.html", context)


def _board_asked(challenge: Challenge, phase: str) -> Board:
    boards = shown_boards(challenge)
    board = board_of(boards, phase) if phase else current_board(boards)
    if board is None:
        raise Http404("There is no such phase.")
    return board


def _may_watch(board: Board, *, organiser: bool) -> bool:
    """Organisers once the phase has closed; everybody once its board is revealed."""
    phase, now = board.phase, timezone.now()
    if phase.freezes_at is None or now < phase.freezes_at or phase.is_open(now):
        return False
    return organiser or not phase.is_frozen(now)


def _step_asked(request: HttpRequest, last: int) -> int:
    text = request.GET.get("step", "0")
    if not (text.isascii() and text.isdecimal() and len(text) <= 4 and int(text) <= last):
        raise Http404("There is no such step.")
    return int(text)


def _lines(board: VisibleBoard, rows: Sequence[BoardRow], step_range: range) -> list[RevealedLine]:
    """The rows of a step, best first, and those revealed just before."""
    part = rows[step_range.start : max(step_range.stop, step_range.start + SHOWN)]
    columns = row_labels.spoken(columns_of(board.challenge))[:1]
    before = board.ranks_before_freeze(MOST)
    shown_lines = with_certainty(certainty_of(board, part), part, lines(columns, part))
    return [
        RevealedLine(line, _moved(row, before), is_new=at < len(step_range))
        for at, (row, line) in enumerate(zip(part, shown_lines, strict=True))
    ]


def _moved(row: BoardRow, before: Mapping[int, int]) -> int | None:
    then = before.get(row.participant.pk)
    return None if then is None or row.rank is None else then - row.rank
