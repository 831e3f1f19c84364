"""`/c/{slug}/`: the leaderboard of a challenge."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from django.conf import settings
from django.contrib.messages import get_messages
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboard import version
from leaderboard.columns import Column, named_keys
from leaderboard.links import absolute
from leaderboard.models import Board, Challenge
from leaderboard.pages import labels
from leaderboard.pages.access import challenge_or_404, seen_board
from leaderboard.pages.code import code_notice
from leaderboard.pages.example import curl_example
from leaderboard.pages.kinds import kind_links, kinds_asked
from leaderboard.pages.manage.announcements import on_the_board
from leaderboard.pages.paging import Paging, counted, notes_asked, page_asked, uncounted
from leaderboard.pages.phases import phase_tabs, phases_told
from leaderboard.pages.row_marks import with_marks
from leaderboard.pages.sight_labels import what_is_hidden
from leaderboard.pages.site import notice_of
from leaderboard.pages.table import are_noted, filled, headers, is_wide, keys_in, lines
from leaderboard.rules.sight import Extent
from leaderboard.schemas.choices import RowKind
from leaderboard.services.board import ranking
from leaderboard.services.board.boards import board_of, current_board, shown_boards
from leaderboard.services.board.outside import with_outside
from leaderboard.services.board.rows import Row
from leaderboard.services.board.state import BoardState
from leaderboard.services.challenges.rescores import progress_of
from leaderboard.services.competition.seen_board import SeenBoard
from leaderboard.services.scoring.rate import Delay, state_and_delay
from leaderboard.translation import count_text

ROWS_PER_PAGE = 50
MOST_ROWS = 1000
"""The most rows of a page for printing; a longer board has several such pages."""
MAX_SEARCH = 120
KEPT_SECONDS = 60


@require_safe
@cache_control(private=True, no_cache=True)
def challenge_board(request: HttpRequest, slug: str) -> HttpResponseBase:
    # Before the page: it may be newer than its ETag, and never older.
    known = state_and_delay(slug) if _is_for_all(request) else None
    etag = _etag(request, *known) if known else ""
    response = get_conditional_response(request, etag=etag) if etag else None
    if response is None:
        response = HttpResponse(_kept_page(request, slug, etag))
    if etag:
        response["ETag"] = etag
    return response


def _is_for_all(request: HttpRequest) -> bool:
    """Whether the reader gets the page of all anonymous readers; others get pages of their own."""
    return not request.user.is_authenticated and not len(get_messages(request))


def _etag(request: HttpRequest, state: BoardState, delay: Delay | None) -> str:
    around = (
        settings.SITE_NAME,
        get_language(),
        notice_of(delay),
        absolute(request, reverse("challenges")),
        version.build(),
    )
    return f'"{sha256(repr((state, around)).encode()).hexdigest()[:24]}"'


def _kept_page(request: HttpRequest, slug: str, etag: str) -> str:
    """The page; the most frequent one is made once per version of the board and cached."""
    kept = "" if request.GET else etag
    page: str | None = cache.get(f"board-page:{kept}") if kept else None
    if page is None:
        page = _page(request, challenge_or_404(request, slug))
        if kept:
            cache.set(f"board-page:{kept}", page, KEPT_SECONDS)
    return page


def _page(request: HttpRequest, challenge: Challenge) -> str:
    boards, phase = shown_boards(challenge), request.GET.get("phase", "")
    stored = _board_asked(boards, phase)
    board, known = seen_board(request, stored), ranking.columns_of(challenge)
    totals = board.totals()
    search, sort = request.GET.get("q", "").strip()[:MAX_SEARCH], request.GET.get("sort", "")
    verified = request.GET.get("verified") == "1"
    kinds = kinds_asked(request)
    rows, paging = _rows(request, board, known, totals, search, sort)
    plain = not (search or sort or verified) and RowKind.RANKED in kinds
    first = rows if plain and paging.number == 1 else _first_rows(board)
    keys = keys_in([*first, *rows]) | {*named_keys(challenge.columns), sort.removeprefix("-")}
    columns = labels.spoken(filled(known, keys))
    everyone = with_marks(challenge, rows, lines(columns, rows))
    heads = headers(columns, sort)
    notes = notes_asked(request)
    context = {
        "challenge": challenge,
        "tab": "board",
        "totals": totals,
        "count": labels.count(totals.total, "participant") if totals else "",
        "found": _found(rows, paging) if search else "",
        "headers": heads,
        "ranked": [line for line in everyone if not line.reason],
        "unranked": [line for line in everyone if line.reason],
        "is_wide": is_wide(heads, everyone, notes=notes),
        "are_noted": are_noted(line.cells for line in everyone),
        "notes": notes,
        "paging": paging,
        "shows_all": _size_asked(request) == MOST_ROWS,
        "most_rows": MOST_ROWS,
        "search": search,
        "sort": sort,
        "verified": verified,
        "outside": kind_links(request, board),
        "can_list_verified": challenge.has_marks and board.lists_verified,
        "phase": phase,
        "strategy": labels.strategy(challenge.shown, columns),
        "phases": [each for each in phases_told(challenge) if each.phase.pk == stored.phase_id],
        "phase_tabs": phase_tabs(boards, stored),
        "is_filling": not board.board.is_complete,
        "changed_at": board.board.changed_at,
        "frozen_since": board.frozen_since,
        "frozen_for_others": stored.phase.is_frozen(timezone.now()) and not board.frozen_since,
        "freezes_at": stored.phase.freezes_at,
        "hidden": what_is_hidden(board.view),
        "sees_own": board.view.board is Extent.OWN,
        "can_search": board.names_all,
        "can_sort": board.sorts,
        "progress": rescore_of(challenge) if totals else None,
        "example": None if rows else curl_example(request, challenge),
        "code": code_notice(request, challenge) if totals else None,
        **on_the_board(challenge),
    }
    return render_to_string("pages/board.html", context, request)


def _board_asked(boards: Sequence[Board], phase: str) -> Board:
    """The board of the phase with this slug, or of the current phase. Raises Http404."""
    board = board_of(boards, phase) if phase else current_board(boards)
    if board is None:
        raise Http404("There is no such phase.")
    return board


def columns_shown(board: SeenBoard) -> list[Column]:
    """The columns of the first page: those that ranked rows fill or that the challenge names."""
    keys = keys_in(_first_rows(board)) | set(named_keys(board.challenge.columns))
    return labels.spoken(filled(ranking.columns_of(board.challenge), keys))


def _first_rows(board: SeenBoard) -> list[Row]:
    """The rows that decide the columns of every page, so that a search never loses a column."""
    return board.page_number(1, limit=ROWS_PER_PAGE).rows


class Rescoring(NamedTuple):
    """A rescore, or the need of one: the two versions, and how many attempts are scored."""

    newest: int
    shown: int
    is_running: bool
    done: int
    total: int

    @property
    def done_text(self) -> str:
        return count_text(self.done)

    @property
    def total_text(self) -> str:
        return count_text(self.total)


def rescore_of(challenge: Challenge) -> Rescoring | None:
    """The progress of a rescore while the board shows an older version."""
    if challenge.shown_config_id == challenge.newest_config_id:
        return None
    newest, progress = challenge.newest, progress_of(challenge.newest)
    return Rescoring(
        newest=newest.number,
        shown=challenge.shown.number,
        is_running=newest.is_rescoring,
        done=progress.done,
        total=progress.total,
    )


def _rows(
    request: HttpRequest,
    board: SeenBoard,
    columns: list[Column],
    totals: ranking.Totals | None,
    search: str,
    sort: str,
) -> tuple[list[Row], Paging]:
    """The rows that the URL requests. Raises Http404 for an unknown order or page."""
    number, size = page_asked(request), _size_asked(request)
    start, limit = (number - 1) * size, size + 1
    key, falls = sort.removeprefix("-"), sort.startswith("-")
    if sort and key not in {column.key for column in columns}:
        raise Http404("There is no such column.")
    if (search and not (totals and board.names_all)) or (sort and not board.sorts):
        raise Http404("The board or the names are hidden.")
    verified = request.GET.get("verified") == "1"
    if verified and not board.lists_verified:
        raise Http404("The board or the attempts are hidden.")
    kinds, outside = kinds_asked(request), board.outside(kinds_asked(request), text=search)
    if RowKind.RANKED not in kinds:
        return with_outside([], outside, is_first=True, key=key, descending=falls), uncounted(
            1, has_next=False
        )
    if not (search or sort or verified):
        rows = board.page_from(start, limit=limit).rows
        paging = counted(number, board.length() or len(rows), size)
        return _with_outside(rows, outside, number, size), paging
    if verified:
        page = board.verified(key, descending=falls, start=start, limit=limit, text=search)
    elif sort:
        page = board.sorted_by(key, descending=falls, start=start, limit=limit, text=search)
    else:
        page = board.search(search, start=start, limit=limit)
    if number > 1 and not page.rows:
        raise Http404("There is no such page.")
    shown = page.rows[:size] if verified else _with_outside(page.rows, outside, number, size, sort)
    return shown, uncounted(number, has_next=len(page.rows) == limit)


def _with_outside(
    rows: list[Row], outside: list[Row], number: int, size: int, sort: str = ""
) -> list[Row]:
    """A page with the rows out of the ranking. rows: those of the page, and the one behind it."""
    return with_outside(
        rows[:size],
        outside,
        is_first=number == 1,
        following=rows[size] if len(rows) > size else None,
        key=sort.removeprefix("-"),
        descending=sort.startswith("-"),
    )


def _size_asked(request: HttpRequest) -> int:
    return MOST_ROWS if request.GET.get("rows") == "all" else ROWS_PER_PAGE


def _found(rows: list[Row], paging: Paging) -> str:
    if paging.is_needed:
        return _("Page {number} of those found").format(number=paging.number)
    found = ngettext("{count} participant found", "{count} participants found", len(rows))
    return found.format(count=count_text(len(rows)))
