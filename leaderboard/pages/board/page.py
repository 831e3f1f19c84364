"""`/c/{slug}/`: the leaderboard of a challenge."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from django.conf import settings
from django.contrib.messages import get_messages
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
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
from leaderboard.http.links import absolute
from leaderboard.languages.translation import count_text
from leaderboard.models import Board, Challenge, Phase
from leaderboard.pages.board.address import short_address
from leaderboard.pages.board.announcements import on_the_board
from leaderboard.pages.board.citation import Citation, citation_of
from leaderboard.pages.board.code_notice import code_notice
from leaderboard.pages.board.details import BoardQuestion
from leaderboard.pages.board.downloads import downloads
from leaderboard.pages.board.lines import table_of
from leaderboard.pages.board.live import BoardVersion, version_of
from leaderboard.pages.board.own_rows import RowsAround, own_slots
from leaderboard.pages.board.rescore_notice import rescore_of
from leaderboard.pages.board.saved_views import saved_views
from leaderboard.pages.board.section import KEPT, BoardSection, made_section, section_key
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.splits import split_rules
from leaderboard.pages.labels.visibility import what_is_hidden
from leaderboard.pages.plugins.text_rules import outputs_rule_of
from leaderboard.pages.shared.access import board_for, challenge_or_404
from leaderboard.pages.shared.paging import Paging
from leaderboard.pages.shared.phases import know_phases, open_elsewhere, phase_entries, phase_tabs
from leaderboard.pages.sharing.public_board import phase_query
from leaderboard.pages.site.context import notice_of
from leaderboard.pages.site.themes import theme_in
from leaderboard.pages.submit.example import curl_example
from leaderboard.pages.tables.column_groups import group_orders
from leaderboard.pages.tables.rows import (
    BoardParameters,
    board_parameters,
    contents_of,
    paging_of,
)
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.rules.visibility.view import Extent
from leaderboard.services.board.boards import board_of, current_board, shown_boards
from leaderboard.services.board.reading.state import BoardState
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.board_contents import BoardContents
from leaderboard.services.operations.site_look import site_look
from leaderboard.services.scoring.rate import Delay, state_and_delay
from leaderboard.services.wrong_parameter import WrongParameter

KEPT_SECONDS = 60
KEPT_VIEWS = ("", "rows=all")
"""The queries of the pages that are kept: a few, so that no reader can fill the cache."""


class BoardView(NamedTuple):
    """A board as a reader sees it. stored: the board without a freeze."""

    stored: Board
    board: VisibleBoard
    asked: BoardParameters
    live: BoardVersion


@require_safe
@cache_control(private=True, no_cache=True)
def challenge_board(request: HttpRequest, slug: str) -> HttpResponseBase:
    # Before the page: it may be newer than its ETag, and never older.
    state = state_and_delay(slug) if _is_for_all(request) else None
    etag = _etag(request, *state) if state else ""
    response = get_conditional_response(request, etag=etag) if etag else None
    if response is None:
        page = _cached_page(request, slug, etag)
        if not isinstance(page, str):
            return page
        response = HttpResponse(page)
    if etag:
        response["ETag"] = etag
    return response


def _is_for_all(request: HttpRequest) -> bool:
    """Whether the reader gets the shared page for anonymous readers."""
    return not request.user.is_authenticated and not len(get_messages(request))


def _etag(request: HttpRequest, state: BoardState, delay: Delay | None) -> str:
    around = (
        settings.SITE_NAME,
        site_look().digest,
        get_language(),
        theme_in(request),
        notice_of(delay),
        absolute(request, reverse("challenges")),
        version.build(),
    )
    return f'"{sha256(repr((state, around)).encode()).hexdigest()[:24]}"'


def _cached_page(request: HttpRequest, slug: str, etag: str) -> str | HttpResponseRedirect:
    """The page; those that cost most are made once per version of the board and cached."""
    view = request.GET.urlencode()
    key = f"{etag}{view}" if etag and view in KEPT_VIEWS else ""
    page: str | HttpResponseRedirect | None = cache.get(f"board-page:{key}") if key else None
    if page is None:
        page = _page(request, challenge_or_404(request, slug))
        if key:
            cache.set(f"board-page:{key}", page, KEPT_SECONDS)
    return page


def _page(request: HttpRequest, challenge: Challenge) -> str | HttpResponseRedirect:
    """The page, or a redirect to the same page at a shorter address."""
    boards, asked = shown_boards(challenge), board_parameters(request, challenge)
    know_phases(challenge, [board.phase for board in boards])
    stored = _board_asked(boards, asked.phase)
    board = board_for(request, stored)
    asked = asked.for_reader(board, request.GET.get("families", ""))
    live = version_of(board)
    key = section_key(request, boards, board, asked, live)
    section = KEPT.get(key) if key else None
    if section is None:
        made = _section(request, boards, BoardView(stored, board, asked, live))
        if isinstance(made, HttpResponseRedirect):
            return made
        section = made
        if key and section.around.sort_keys:
            KEPT.keep(key, section, section.size)
    slots = own_slots(request, board, asked, section.around, key)
    above, below = section.with_slots(slots)
    context = {
        "challenge": challenge,
        "tab": "board",
        "live": live,
        "phase_query": phase_query(board),
        "progress": rescore_of(challenge, board.access) if section.has_totals else None,
        "code": code_notice(request, challenge) if section.has_totals else None,
        "is_screen": request.GET.get("show") == "screen",
        "board_state": section.state,
        "description": " ".join(filter(None, (section.verdict, challenge.summary))),
        "above_share": above,
        "below_share": below,
        **on_the_board(challenge),
    }
    return render_to_string("pages/board.html", context, request)


def _section(
    request: HttpRequest, boards: Sequence[Board], view: BoardView
) -> BoardSection | HttpResponseRedirect:
    """What readers of the board share, or a redirect to a shorter address."""
    stored, board, asked, live = view
    challenge, contents = board.challenge, contents_of(board, asked)
    paging, rows, totals = paging_of(contents, asked), contents.rows, contents.totals
    if shorter := short_address(request, board, asked, [*contents.first, *rows]):
        return HttpResponseRedirect(shorter)
    table = table_of(request, BoardQuestion(board, asked, contents))
    drawn = table.context
    context = {
        "challenge": challenge,
        "live": live,
        "totals": totals,
        "count": row_labels.count(totals.total, "participant") if totals else "",
        "matches": _matches_text(contents, paging)
        if not (asked.rows.is_whole or asked.only_folds)
        else "",
        "paging": paging,
        "phase_tabs": phase_tabs(boards, stored),
        "open_elsewhere": open_elsewhere(boards, stored),
        "row_query": phase_query(board) if asked.phase else "",
        "example": None if rows else curl_example(request, challenge),
        "citation": _citation(request, board) if totals else None,
        "saved_views": saved_views(
            request,
            challenge,
            asked.phase,
            group_orders(board.board.config, table.choosable.columns) if board.sorts else (),
        ),
        **drawn,
        "downloads": downloads(board, asked, table, rows) if totals else [],
        **asked.template_context(),
        **_board_context(board, stored),
    }
    around = RowsAround(
        frozenset(row.sort_key for row in rows),
        frozenset(column.key for column in table.choosable.columns),
        table.chosen.columns,
        table.chosen.fields,
        {name: context[name] for name in ("row_query", "notes", "can_compare", "can_group", "fits")}
        | {name: bool(context[name]) for name in ("groups", "strip_legend")},
    )
    return made_section(request, context, around, has_totals=totals is not None)


def _board_context(board: VisibleBoard, stored: Board) -> PageContext:
    """What the reader may see of the board and its phase. stored: the board without a freeze."""
    challenge, phase, config = board.challenge, stored.phase, board.board.config
    return {
        "phases": [
            phase_entry
            for phase_entry in phase_entries(challenge)
            if phase_entry.phase.pk == phase.pk
        ],
        "is_filling": not board.board.is_complete,
        "changed_at": board.changed_at,
        "frozen_since": board.frozen_since,
        "frozen_for_others": phase.is_frozen(timezone.now()) and not board.frozen_since,
        "freezes_at": phase.freezes_at,
        "open_until": _open_until(challenge, phase),
        "open_zone": phase.time_zone,
        "hidden": [*split_rules(challenge.shown, phase), *what_is_hidden(board.view)],
        "outputs_rule": outputs_rule_of(config) if config.allows_guesses else "",
        "sees_own": board.view.board is Extent.OWN,
        "can_search": board.names_all,
        "can_sort": board.sorts,
    }


def _open_until(challenge: Challenge, phase: Phase) -> datetime | None:
    """When the phase closes, if it takes attempts now."""
    return phase.closes_at if challenge.is_active and phase.is_open(timezone.now()) else None


def _board_asked(boards: Sequence[Board], phase: str) -> Board:
    """The board of the phase with this slug, or of the current phase. Raises WrongParameter."""
    board = board_of(boards, phase) if phase else current_board(boards)
    if board is None:
        raise WrongParameter.one_of("phase", phase, [board.phase.slug for board in boards])
    return board


def _citation(request: HttpRequest, board: VisibleBoard) -> Citation:
    challenge = board.challenge
    return citation_of(request, challenge, board.changed_at or challenge.created_at)


def _matches_text(contents: BoardContents, paging: Paging) -> str:
    """How many rows a filter or a search has found."""
    if contents.matches is None and paging.is_needed:
        return _("Page {number} of those found").format(number=paging.number)
    number = len(contents.rows) if contents.matches is None else contents.matches
    text = ngettext("{count} participant found", "{count} participants found", number)
    return text.format(count=count_text(number))
