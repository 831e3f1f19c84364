from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiResponse
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.conditional import conditional, unchanged
from leaderboard.api.files.board_state import state_json
from leaderboard.api.files.boards import row_facts, row_json
from leaderboard.api.operations import operation
from leaderboard.api.permissions import access_in
from leaderboard.api.queries import cursor_for, place_in, wrong_cursor
from leaderboard.api.serializers.board import BoardSerializer, StandingSerializer
from leaderboard.api.serializers.board_queries import BoardQuery, PageGiven, RowsGiven
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import ApiView, challenge_or_404
from leaderboard.columns import Column, get_column
from leaderboard.models import Challenge
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.visibility.meta_values import MetaField, MetaTest, fields_of
from leaderboard.services.board.boards import board_of, current_board, shown_boards
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.meta_query import meta_asked, meta_tests
from leaderboard.services.board.reading.reported_columns import Unlisted, has_reported
from leaderboard.services.board.reading.row_filter import ALL_KINDS, RowFilter, RowsAsked
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.reading.unranked_rows import with_rows_out_of_ranking
from leaderboard.services.competition.visible.access import Called
from leaderboard.services.competition.visible.board import VisibleBoard, visible_board
from leaderboard.services.competition.visible.names import renamed_for
from leaderboard.services.competition.visible.rows import check_rows
from leaderboard.services.errors import invalid
from leaderboard.services.wrong_parameter import WrongParameter

UNCHANGED = OpenApiResponse(description="The reader's copy, named by `If-None-Match`, is current.")


class LeaderboardView(ApiView):
    @operation(
        operation_id="leaderboard_read",
        summary="Read a page of the board",
        parameters=[BoardQuery],
        responses={200: BoardSerializer, 304: UNCHANGED, **refusals(400, 404)},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Best first, the unranked last. With `If-None-Match`, 304 while nothing has changed."""
        if same := unchanged(request, slug):
            return same
        challenge = challenge_or_404(request, slug)
        asked = query_of(BoardQuery(data=request.query_params))
        board = board_in(request, challenge, asked["phase"])
        return conditional(request, board, lambda: _page_of(board, asked))


class StandingView(ApiView):
    @operation(
        operation_id="standings_read",
        summary="Read one standing and those around it",
        responses={200: StandingSerializer, 304: UNCHANGED, **refusals(404)},
    )
    def get(self, request: Request, slug: str, participant: str) -> HttpResponseBase:
        """Up to five above and five below. 404 until an attempt of the participant is scored."""
        if same := unchanged(request, slug):
            return same
        challenge = challenge_or_404(request, slug)
        board = board_in(request, challenge)
        return conditional(request, board, lambda: _standing_of(board, participant))


def board_in(request: Request, challenge: Challenge, phase: str = "") -> VisibleBoard:
    """The board of the requested phase, or of the current one, as the reader sees it."""
    boards = shown_boards(challenge)
    board = board_of(boards, phase) if phase else current_board(boards)
    if board is None:
        slugs = ", ".join(board.phase.slug for board in boards)
        text = _("must be one of {names}; got {sent}")
        raise invalid("phase", text.format(names=slugs, sent=sent(phase)))
    return visible_board(board, access_in(request, challenge))


def _page_of(board: VisibleBoard, asked: PageGiven) -> Response:
    columns = columns_in(board, asked)
    unlisted = unlisted_in(board, asked, columns)
    page, after = _page(board, asked)
    meta = meta_in(board, asked)
    rows = board.with_meta(page.rows) if meta else page.rows
    facts = row_facts(board, rows, meta)
    return Response(
        {
            **state_json(board, columns, facts.certainty),
            "rows": [row_json(row, columns, unlisted, facts) for row in rows],
            "next": after,
        }
    )


def _standing_of(board: VisibleBoard, slug: str) -> Response:
    challenge, access = board.challenge, board.access
    row = _row_of(board, access.called(challenge, slug))
    row = row or _row_of(board, renamed_for(access, challenge, slug))
    if row is None:
        raise NotFound
    columns = ranking.columns_of(challenge)
    unlisted = Unlisted(board.board.config, columns)
    above, below = board.around(row)
    facts = row_facts(board, [row, *above, *below])
    return Response(
        {
            **state_json(board, columns, facts.certainty),
            **row_json(row, columns, unlisted, facts),
            "above": [row_json(neighbour, columns, unlisted, facts) for neighbour in above],
            "below": [row_json(neighbour, columns, unlisted, facts) for neighbour in below],
        }
    )


def _row_of(board: VisibleBoard, called: Called | None) -> BoardRow | None:
    """The row of a participant; None if the reader does not see it here under this name."""
    if called is None or not called.covers(board.phase_id):
        return None
    return board.standing_of(called.participant)


def _page(board: VisibleBoard, asked: PageGiven) -> tuple[ranking.Page, str | None]:
    """The requested rows, and the cursor after them.

    In the board's own order a cursor is a place on the board; in any other, a count of rows.
    """
    limit, wanted = asked["limit"], rows_in(board, asked)
    question = _question(board, asked, wanted)
    place = place_in(asked["cursor"], *question)
    if not wanted.has_ranked:
        return ranking.Page(list(board.every_row(wanted)), 0, None), None
    out_of_ranking = board.out_of_ranking(wanted)
    if wanted.is_whole:
        page = board.page_after(cursor=place, limit=limit)
        after = page.next_cursor
        behind = board.page_after(cursor=after, limit=1).rows if after and out_of_ranking else []
        rows = with_rows_out_of_ranking(
            page.rows, out_of_ranking, is_first=not place, following=next(iter(behind), None)
        )
        return replace(page, rows=rows), cursor_for(after, *question) if after else None
    start = _start(place)
    page = board.page_of(wanted, start=start, limit=limit + 1)
    more = len(page.rows) > limit
    after = cursor_for(f"{start + limit}", *question) if more else None
    rows = with_rows_out_of_ranking(
        page.rows[:limit],
        out_of_ranking,
        is_first=not start,
        following=page.rows[limit] if more else None,
        asked=wanted,
    )
    return ranking.Page(rows, start, None), after


def _question(board: VisibleBoard, asked: RowsGiven, wanted: RowsAsked) -> tuple[object, ...]:
    """What a cursor belongs to."""
    question: tuple[object, ...] = (board.board.pk, asked["search"], asked["sort"])
    if board.is_veiled:
        question = (*question, board.access.key)
    if wanted.wanted.verified:
        question = (*question, "verified")
    if narrower := wanted.wanted._replace(text="", verified=False):
        question = question if narrower.is_empty else (*question, *narrower)
    if set(wanted.kinds) != set(ALL_KINDS):
        question = (*question, *wanted.kinds)
    return question


def rows_in(board: VisibleBoard, asked: RowsGiven) -> RowsAsked:
    """The rows that a query asks for. Raises ServiceError if the reader may not ask for them."""
    wanted = RowFilter(
        asked["search"],
        asked["participant_kind"],
        asked["bracket"],
        asked["verified"] == "1",
        _meta_in(board, asked),
        complete_in(board, asked["complete"]),
        asked["family"],
        asked["families"] == "best",
    )
    kinds = asked["kinds"].split(",") if asked["kinds"] else ALL_KINDS
    rows = RowsAsked.sorted(kinds, wanted, asked["sort"], _fields_of(board))
    check_rows(board, rows)
    return rows


def _meta_in(board: VisibleBoard, asked: RowsGiven) -> tuple[MetaTest, ...]:
    """The filters by fields of meta. Raises ServiceError for a wrong one."""
    declared = board.challenge.meta_fields
    try:
        by_field = meta_tests(asked["by_field"], fields_of(declared))
    except WrongParameter as wrong:
        raise invalid(wrong.name, wrong.accepted) from None
    return (*meta_asked(asked["meta"], declared), *by_field)


def complete_in(board: VisibleBoard, sent_keys: str) -> tuple[str, ...]:
    """The columns in which rows must be complete. Raises ServiceError for an unknown one."""
    columns = ranking.columns_of(board.challenge)
    names = [column.key for column in columns if column.is_kept]
    keys = tuple(dict.fromkeys(filter(None, sent_keys.split(","))))
    for key in keys:
        if key not in names:
            text = _("must be among {names}; got {sent}")
            raise invalid("complete", text.format(names=", ".join(names), sent=sent(key)))
    return keys


def _start(place: str) -> int:
    if not place:
        return 0
    if not (place.isascii() and place.isdecimal() and len(place) <= 9):
        raise wrong_cursor(place)
    return int(place)


def columns_in(board: VisibleBoard, asked: RowsGiven) -> list[Column]:
    """The board's columns, or the requested ones in their order."""
    columns_by_key = {column.key: column for column in ranking.columns_of(board.challenge)}
    fields = {field.key for field in _fields_of(board)}
    keys = asked["columns"].split(",") if asked["columns"] else list(columns_by_key)
    keys = [key for key in keys if key not in fields]
    for key in keys:
        if key not in columns_by_key and not (board.is_whole and has_reported(board.board, key)):
            text = _("must be among {names}; got {sent}")
            raise invalid("columns", text.format(names=", ".join(columns_by_key), sent=sent(key)))
    return [columns_by_key.get(key) or get_column(key) for key in dict.fromkeys(keys)]


def meta_in(board: VisibleBoard, asked: RowsGiven) -> list[MetaField]:
    """The declared fields of meta, or those among the requested columns."""
    keys = asked["columns"].split(",") if asked["columns"] else None
    return [field for field in _fields_of(board) if keys is None or field.key in keys]


def _fields_of(board: VisibleBoard) -> list[MetaField]:
    """The declared fields of meta that the reader sees."""
    declared = board.challenge.meta_fields
    return fields_of(declared) if declared and board.lists_meta else []


def unlisted_in(
    board: VisibleBoard, asked: RowsGiven, columns: Sequence[Column]
) -> Unlisted | None:
    """The reported values without a column; None if the reader has chosen columns."""
    return None if asked["columns"] else Unlisted(board.board.config, columns)


def query_of(query: BoardQuery) -> PageGiven:
    query.is_valid(raise_exception=True)
    asked: PageGiven = query.validated_data
    return asked
