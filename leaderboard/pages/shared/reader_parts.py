"""Parts of pages that all readers share who see the same: their requests, and their keys."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language

from leaderboard import version
from leaderboard.http.links import absolute
from leaderboard.models import Board, Challenge
from leaderboard.services.competition.visible.board import VisibleBoard


def without_reader(request: HttpRequest) -> HttpRequest:
    """A request for the same address by nobody."""
    bare = HttpRequest()
    bare.method, bare.path, bare.path_info = "GET", request.path, request.path_info
    bare.GET = request.GET
    return bare


def brackets_of(challenge: Challenge) -> Sequence[str]:
    """The brackets in which participants of a challenge may be registered."""
    rules = getattr(challenge, "registration_rules", None)
    return list(rules.brackets) if rules else []


def reader_key(
    request: HttpRequest, boards: Sequence[Board], board: VisibleBoard
) -> tuple[Hashable, ...]:
    """What a part of a page about a board depends on, besides the board that is asked for.

    boards: those that the part is about.
    """
    challenge, access = board.challenge, board.access
    return (
        tuple(_states(boards)),
        (challenge.pk, challenge.board_version, challenge.shown.pk, challenge.newest.pk),
        (challenge.visibility, challenge.is_active, tuple(brackets_of(challenge))),
        # Own rows look different where others are hidden.
        access.key if access.is_limited else access.key[:-1],
        (get_language(), timezone.get_current_timezone_name()),
        (settings.SITE_NAME, absolute(request, reverse("challenges")), version.build()),
        (request.path, request.GET.urlencode()),
    )


def _states(boards: Sequence[Board]) -> Iterator[Hashable]:
    """The state of each board, with that before a freeze and that of rows out of the ranking."""
    now = timezone.now()
    for board in boards:
        phase = board.phase
        yield (phase.pk, phase.is_open(now), phase.is_frozen(now), phase.has_ended(now))
        before = board.before_freeze
        for shown_board in (
            board,
            before,
            board.board_out_of_ranking,
            before and before.board_out_of_ranking,
        ):
            if shown_board is not None:
                yield (
                    shown_board.pk,
                    shown_board.version,
                    shown_board.unseen_changes,
                    shown_board.judged_version,
                )
                yield (shown_board.changed_at, shown_board.filled_to)
