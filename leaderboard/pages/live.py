"""`/c/{slug}/version.json`: whether a board has changed since it was opened.

The page asks every ten seconds (`static/pages/live.js`) and says so, instead of moving rows.
"""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from typing import Final, NamedTuple

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboard import version
from leaderboard.pages.analysis import analysed
from leaderboard.rules.json_values import JsonObject
from leaderboard.services.board.state import BoardState, open_state, state_of
from leaderboard.services.competition.seen_board import SeenBoard

STILL: Final = timedelta(hours=1)
"""After this time without a change, a closed board counts as final."""


class BoardVersion(NamedTuple):
    """What a page compares: opaque texts that change when the board changes.

    results: with the rows. page: with all else on the page, such as names and announcements.
    is_final: nothing will change any more, or the reader is told of no changes.
    """

    results: str = ""
    page: str = ""
    is_final: bool = True

    def as_json(self) -> JsonObject:
        return {"results": self.results, "page": self.page, "final": self.is_final}


def version_of(board: SeenBoard) -> BoardVersion:
    """The version of a board as the reader sees it.

    Readers who do not see the whole board get none, as it would change with hidden attempts. For
    readers who see the board before its freeze, it stays the same until the reveal.
    """
    if not board.is_whole:
        return BoardVersion()
    is_final = _is_closed(board) and not _has_just_changed(board)
    key = board.sight.key if board.challenge.is_restricted else None
    return _version(state_of(board.board), key, is_final=is_final)


@require_safe
@cache_control(private=True, no_cache=True)
def board_version(request: HttpRequest, slug: str) -> HttpResponseBase:
    """One statement for a public board that hides nothing; `?phase=` as on the board."""
    state = None if request.GET.get("phase") else open_state(slug)
    if state is not None and state.is_open:
        found = _version(state, None, is_final=False)
    else:
        found = version_of(analysed(request, slug).board)
    etag = f'"{_digest(found)}"'
    response = get_conditional_response(request, etag=etag) or JsonResponse(found.as_json())
    response["ETag"] = etag
    return response


def _version(state: BoardState, sight: object, *, is_final: bool) -> BoardVersion:
    results = (state.board_id, state.shown_config_id, state.version, sight)
    return BoardVersion(_digest(results), _digest((state.pk, state.board_version)), is_final)


def _digest(value: object) -> str:
    return sha256(repr((version.build(), value)).encode()).hexdigest()[:16]


def _is_closed(board: SeenBoard) -> bool:
    phase = board.board.phase
    has_ended = phase.closes_at is not None and phase.closes_at <= timezone.now()
    return has_ended or not board.challenge.is_active


def _has_just_changed(board: SeenBoard) -> bool:
    changed_at = board.board.changed_at
    return changed_at is not None and timezone.now() - changed_at < STILL
