"""`/c/{slug}/version.json`: whether a board has changed since it was opened.

The page asks every ten seconds (`static/pages/live.js`) and says so, instead of moving rows.
It says how many changes there were since the one that it shows: `?since=41.9f86d081884c7d65`.
"""

from __future__ import annotations

import re
from datetime import timedelta
from hashlib import sha256
from typing import Final, NamedTuple

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import ngettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboard import version
from leaderboard.languages.translation import count_text
from leaderboard.pages.analysis.shared import analysed
from leaderboard.rules.json.values import JsonObject
from leaderboard.services.board.reading.state import BoardState, open_state
from leaderboard.services.competition.visible.board import VisibleBoard

STILL: Final = timedelta(hours=1)
"""After this time without a change, a closed board counts as final."""
SINCE: Final = re.compile(r"(\d{1,18})\.([0-9a-f]{16})", re.ASCII)
"""The number of a change, and the board whose changes are counted."""


class BoardVersion(NamedTuple):
    """What a page compares: opaque texts that change when the board changes.

    results: with the rows. page: with all else on the page, such as names and announcements.
    is_final: nothing will change any more, or the reader is told of no changes. board: which board
    it is, and changes: how often its rows have changed.
    """

    results: str = ""
    page: str = ""
    is_final: bool = True
    board: str = ""
    changes: int = 0

    @property
    def since(self) -> str:
        """The state that a page sends back to learn how many changes it does not show."""
        return f"{self.changes}.{self.board}"

    def as_json(self, since: str) -> JsonObject:
        return {
            "results": self.results,
            "page": self.page,
            "final": self.is_final,
            "text": self._changes_text(since),
        }

    def _changes_text(self, since: str) -> str:
        """How many changes there were; "" if none, or for a page that shows another board."""
        match = SINCE.fullmatch(since)
        if match is None or match[2] != self.board:
            return ""
        count = self.changes - int(match[1])
        text = ngettext("{count} change – show it", "{count} changes – show them", count)
        return text.format(count=count_text(count)) if count > 0 else ""


def version_of(board: VisibleBoard) -> BoardVersion:
    """The version of a board as the reader sees it.

    Readers who do not see the whole board get none, as it would change with hidden attempts. For
    readers who see the board before its freeze, it stays the same until the reveal.
    """
    if not board.is_whole:
        return BoardVersion()
    is_final = _is_closed(board) and not _has_just_changed(board)
    key = board.access.key if board.challenge.is_restricted else None
    return _version(board.state, key, is_final=is_final)


@require_safe
@cache_control(private=True, no_cache=True)
def board_version(request: HttpRequest, slug: str) -> HttpResponseBase:
    """One statement for a public board that hides nothing; `?phase=` as on the board."""
    state = None if request.GET.get("phase") else open_state(slug)
    if state is not None and state.is_open:
        version = _version(state, None, is_final=False)
    else:
        version = version_of(analysed(request, slug).board)
    fields = version.as_json(request.GET.get("since", ""))
    etag = f'"{_digest(tuple(fields.values()))}"'
    response = get_conditional_response(request, etag=etag) or JsonResponse(fields)
    response["ETag"] = etag
    return response


def _version(state: BoardState, access: object, *, is_final: bool) -> BoardVersion:
    board = (state.board_id, state.shown_config_id, access)
    return BoardVersion(
        results=_digest((*board, state.version)),
        page=_digest((state.pk, state.board_version)),
        is_final=is_final,
        board=_digest(board),
        changes=state.version,
    )


def _digest(value: object) -> str:
    return sha256(repr((version.build(), value)).encode()).hexdigest()[:16]


def _is_closed(board: VisibleBoard) -> bool:
    phase, now = board.board.phase, timezone.now()
    has_ended = phase.has_ended(now) and not phase.finals_wait(now)
    return has_ended or not board.challenge.is_active


def _has_just_changed(board: VisibleBoard) -> bool:
    changed_at = board.changed_at
    return changed_at is not None and timezone.now() - changed_at < STILL
