"""The board as an anonymous reader sees it, for every reader: other sites show it publicly."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.http import Http404
from django.utils import timezone
from django.utils.translation import get_language

from leaderboard import version
from leaderboard.models import Challenge
from leaderboard.models.built_once import Lookup
from leaderboard.pages.shared.access import CONFIGS
from leaderboard.pages.shared.phases import phases_of
from leaderboard.rules.visibility.open_phases import face_phase
from leaderboard.rules.visibility.view import PhaseView
from leaderboard.services.board.boards import board_of, current_board, shown_boards
from leaderboard.services.competition.visible.board import VisibleBoard, visible_board
from leaderboard.services.competition.visible.viewers import Viewer, access_of, view_of_anyone


def public_board(challenge: Challenge, phase: str = "") -> VisibleBoard | None:
    """The board of a phase as anyone sees it; None if its rows are hidden.

    challenge: one that anyone may open, see `open_challenge_or_404`. phase: its slug. The board
    that the challenge shows stands for a phase that does not exist any more, as addresses on other
    sites stay for years.
    """
    boards = shown_boards(challenge)
    stored = board_of(boards, phase) or current_board(boards)
    board = visible_board(stored, access_of(challenge, Viewer()))
    return board if board.is_whole else None


def public_view(challenge: Challenge) -> PhaseView | None:
    """What anyone sees of the phase that the challenge shows; None if the challenge hides nothing.

    For pages that say where their board can be shared: no statement beside that for the phases.
    """
    phases = phases_of(challenge) if challenge.is_restricted else []
    if not phases:
        return None
    now = timezone.now()
    return view_of_anyone(face_phase(phases, now), now)


_CALLED: Final = Lookup(
    lambda slug: Challenge.objects.select_related(*CONFIGS).all_called(slug, None)[:1], slug=str
)


def open_challenge_or_404(slug: str) -> Challenge:
    """The challenge with this slug, if anyone may open it."""
    challenge = _CALLED.first(slug=slug) if "\0" not in slug else None
    if challenge is None:
        raise Http404("There is no such challenge.")
    return challenge


def public_board_or_404(slug: str, phase: str = "") -> VisibleBoard:
    """The public board of a challenge, or that of one of its phases."""
    board = public_board(open_challenge_or_404(slug), phase)
    if board is None:
        raise Http404("The board is hidden.")
    return board


def key_of(board: VisibleBoard, *more: object) -> tuple[object, ...]:
    """What pictures of a board depend on: its version, what is hidden, the language, the site.

    Not on whether the phase is open.
    """
    state = board.state._replace(is_open=True)
    around = (settings.SITE_NAME, settings.PUBLIC_URL, get_language(), version.build())
    return (*state, board.access.key, *around, *more)


def phase_query(board: VisibleBoard) -> str:
    """`?phase=SLUG` for addresses on other sites, which stay those of this phase; else "".

    A phase that has no end, in a challenge without others, needs none.
    """
    phase = board.board.phase
    is_one_of_several = board.challenge.has_several_boards or phase.closes_at is not None
    return f"?phase={phase.slug}" if is_one_of_several else ""
