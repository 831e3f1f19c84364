from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.board_shapes import BoardJson
from leaderboard.api.boards import column_json, csv_text, jsonl, moment, rescoring_json, row_json
from leaderboard.api.conditional import conditional, unchanged
from leaderboard.api.operations import operation
from leaderboard.api.permissions import sight_in
from leaderboard.api.queries import cursor_for, place_in, wrong_cursor
from leaderboard.api.serializers.board import (
    BoardQuery,
    BoardSerializer,
    CsvQuery,
    ExportQuery,
    StandingSerializer,
)
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.spreadsheets import PLAIN, excel
from leaderboard.api.views.base import AnyAccept, ApiView, challenge_or_404
from leaderboard.columns import Column, get_column
from leaderboard.models import Challenge
from leaderboard.rules.sent import sent
from leaderboard.rules.sight import Extent
from leaderboard.schemas.choices import RowKind
from leaderboard.services.board import ranking
from leaderboard.services.board.boards import board_of, current_board, shown_boards
from leaderboard.services.board.editions import edition_count
from leaderboard.services.board.outside import with_outside
from leaderboard.services.board.reported import Unlisted, has_reported
from leaderboard.services.board.rows import Row
from leaderboard.services.challenges.code_changes import held_at
from leaderboard.services.competition.marks import RowMarks
from leaderboard.services.competition.seen_board import ALL_KINDS, SeenBoard, seen
from leaderboard.services.competition.seen_names import renamed_for
from leaderboard.services.competition.sight import Called
from leaderboard.services.errors import invalid


class WritesBoard(Protocol):
    """Writes a board as a file, in pieces."""

    def __call__(
        self,
        board: SeenBoard,
        columns: Sequence[Column],
        unlisted: Unlisted | None,
        *,
        kinds: Collection[str],
    ) -> Iterator[str]: ...


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
        asked = _query(BoardQuery(data=request.query_params))
        board = _board(request, challenge, asked["phase"])
        return conditional(request, board, lambda: _page_of(board, asked))


class CsvView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="leaderboard_csv",
        summary="The whole board as CSV",
        parameters=[CsvQuery],
        responses={(200, "text/csv"): OpenApiTypes.STR, 304: UNCHANGED, **refusals(400, 404)},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """An empty cell is empty, and no name begins a formula. Programs read it as it is:
        UTF-8 without a byte order mark, commas and points; `for=excel` writes it for spreadsheets.
        """
        asked = _query(CsvQuery(data=request.query_params))
        languages = asked.get("locale") or request.headers.get("Accept-Language", "")
        style = excel(languages) if "for" in asked else PLAIN
        written = partial(csv_text, style=style)
        response = _exported(request, slug, asked, written, "csv", "text/csv; charset=utf-8", style)
        if "for" in asked and not asked.get("locale"):
            patch_vary_headers(response, ["Accept-Language"])
        return response


class JsonlView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="leaderboard_jsonl",
        summary="The whole board, a row per line",
        parameters=[ExportQuery],
        responses={
            (200, "application/x-ndjson"): OpenApiTypes.STR,
            304: UNCHANGED,
            **refusals(400, 404),
        },
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """The rows as in pages of the board, without loss."""
        asked = _query(ExportQuery(data=request.query_params))
        return _exported(request, slug, asked, jsonl, "jsonl", "application/x-ndjson")


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
        board = _board(request, challenge)
        return conditional(request, board, lambda: _standing_of(board, participant))


def _exported(
    request: Request,
    slug: str,
    asked: Mapping[str, Any],
    written: WritesBoard,
    ending: str,
    content_type: str,
    variant: object = None,
) -> HttpResponseBase:
    """A file of the whole board, streamed."""
    if same := unchanged(request, slug, variant):
        return same
    challenge = challenge_or_404(request, slug)
    board = _board(request, challenge, asked["phase"])
    columns = _columns(board, asked)

    def answer() -> HttpResponseBase:
        headers = {"Content-Disposition": f'attachment; filename="{challenge.slug}.{ending}"'}
        unlisted = _unlisted(board, asked, columns)
        pieces = written(board, columns, unlisted, kinds=_kinds(asked))
        return StreamingHttpResponse(pieces, content_type=content_type, headers=headers)

    return conditional(request, board, answer, variant)


def _board(request: Request, challenge: Challenge, phase: str = "") -> SeenBoard:
    """The board of the requested phase, or of the current one, as the reader sees it."""
    boards = shown_boards(challenge)
    board = board_of(boards, phase) if phase else current_board(boards)
    if board is None:
        slugs = ", ".join(each.phase.slug for each in boards)
        raise invalid("phase", f"must be one of {slugs}; got {sent(phase)}")
    return seen(board, sight_in(request, challenge))


def _page_of(board: SeenBoard, asked: Mapping[str, Any]) -> Response:
    columns = _columns(board, asked)
    unlisted = _unlisted(board, asked, columns)
    page, after = _page(board, asked)
    marks = RowMarks(board.challenge, page.rows)
    return Response(
        {
            **_state(board, columns),
            "rows": [row_json(row, columns, unlisted, marks) for row in page.rows],
            "next": after,
        }
    )


def _standing_of(board: SeenBoard, slug: str) -> Response:
    challenge, sight = board.challenge, board.sight
    row = _row_of(board, sight.called(challenge, slug))
    row = row or _row_of(board, renamed_for(sight, challenge, slug))
    if row is None:
        raise NotFound
    columns = ranking.columns_of(challenge)
    unlisted = Unlisted(board.board.config, columns)
    above, below = board.around(row)
    marks = RowMarks(challenge, [row, *above, *below])
    return Response(
        {
            **_state(board, columns),
            **row_json(row, columns, unlisted, marks),
            "above": [row_json(each, columns, unlisted, marks) for each in above],
            "below": [row_json(each, columns, unlisted, marks) for each in below],
        }
    )


def _row_of(board: SeenBoard, called: Called | None) -> Row | None:
    """The row of a participant; None if the reader does not see it here under this name."""
    if called is None or not called.covers(board.phase_id):
        return None
    return board.standing_of(called.participant)


def _state(board: SeenBoard, columns: Sequence[Column]) -> BoardJson:
    challenge, totals = board.challenge, board.totals()
    if totals is None:
        return _hidden_state(board, columns)
    changed_at = board.board.changed_at
    return {
        "challenge": challenge.slug,
        "phase": board.board.phase.slug,
        "frozen_since": moment(board.frozen_since) if board.frozen_since else None,
        "shown": "all",
        "version": challenge.board_version + board.board.version,
        "scoring_version": challenge.shown.number,
        "newest_scoring_version": challenge.newest.number,
        "rescoring": rescoring_json(challenge),
        "editions": edition_count(challenge.shown),
        "held": held_at(challenge),
        "updated_at": moment(changed_at) if changed_at else None,
        "total": totals.total,
        "ranked": totals.ranked,
        "columns": [column_json(column) for column in columns],
    }


def _hidden_state(board: SeenBoard, columns: Sequence[Column]) -> BoardJson:
    """Without everything that changes with the attempts of others."""
    challenge = board.challenge
    return {
        "challenge": challenge.slug,
        "phase": board.board.phase.slug,
        "frozen_since": moment(board.frozen_since) if board.frozen_since else None,
        "shown": "own" if board.view.board is Extent.OWN else "none",
        "version": 0,
        "scoring_version": challenge.shown.number,
        "newest_scoring_version": challenge.newest.number,
        "rescoring": None,
        "editions": edition_count(challenge.shown),
        "held": 0,
        "updated_at": None,
        "total": None,
        "ranked": None,
        "columns": [column_json(column) for column in columns],
    }


def _page(board: SeenBoard, asked: Mapping[str, Any]) -> tuple[ranking.Page, str | None]:
    """The requested rows, and the cursor after them.

    In the board's own order a cursor is a place on the board; in any other, a count of rows.
    """
    limit, cursor, text, sort = (asked[name] for name in ("limit", "cursor", "search", "sort"))
    question: tuple[object, ...] = (board.board.pk, text, sort)
    if board.is_veiled:
        question = (*question, board.sight.key)
    if asked["verified"] == "1":
        question = (*question, "verified")
    kinds = _kinds(asked)
    if set(kinds) != set(ALL_KINDS):
        question = (*question, *kinds)
    place = place_in(cursor, *question)
    outside = board.outside(kinds, text=text)
    if RowKind.RANKED not in kinds:
        rows = with_outside(
            [], outside, is_first=True, key=sort.lstrip("-"), descending=sort.startswith("-")
        )
        return ranking.Page(rows, 0, None), None
    if not (text or sort or asked["verified"] == "1"):
        page = board.page_after(cursor=place, limit=limit)
        after = page.next_cursor
        behind = board.page_after(cursor=after, limit=1).rows if after and outside else []
        rows = with_outside(
            page.rows, outside, is_first=not place, following=next(iter(behind), None)
        )
        return replace(page, rows=rows), cursor_for(after, *question) if after else None
    start = _start(place)
    key, descending = sort.removeprefix("-"), sort.startswith("-")
    if asked["verified"] == "1":
        page = board.verified(key, descending=descending, start=start, limit=limit + 1, text=text)
    elif sort:
        page = board.sorted_by(key, descending=descending, start=start, limit=limit + 1, text=text)
    else:
        page = board.search(text, start=start, limit=limit + 1)
    more = len(page.rows) > limit
    after = cursor_for(f"{start + limit}", *question) if more else None
    rows = page.rows[:limit]
    if asked["verified"] != "1":
        rows = with_outside(
            rows,
            outside,
            is_first=not start,
            following=page.rows[limit] if more else None,
            key=key,
            descending=descending,
        )
    return ranking.Page(rows, start, None), after


def _start(place: str) -> int:
    if not place:
        return 0
    if not (place.isascii() and place.isdecimal() and len(place) <= 9):
        raise wrong_cursor(place)
    return int(place)


def _columns(board: SeenBoard, asked: Mapping[str, Any]) -> list[Column]:
    """The board's columns, or the requested ones in their order."""
    known = {column.key: column for column in ranking.columns_of(board.challenge)}
    keys = asked["columns"].split(",") if asked["columns"] else list(known)
    for key in keys:
        if key not in known and not (board.is_whole and has_reported(board.board, key)):
            raise invalid("columns", f"must be among {', '.join(known)}; got {sent(key)}")
    return [known.get(key) or get_column(key) for key in dict.fromkeys(keys)]


def _unlisted(
    board: SeenBoard, asked: Mapping[str, Any], columns: Sequence[Column]
) -> Unlisted | None:
    """The reported values without a column; None if the reader has chosen columns."""
    return None if asked["columns"] else Unlisted(board.board.config, columns)


def _kinds(asked: Mapping[str, Any]) -> Sequence[str]:
    """The kinds of rows that are asked for."""
    return asked["kinds"].split(",") if asked["kinds"] else ALL_KINDS


def _query(query: BoardQuery | ExportQuery) -> Mapping[str, Any]:
    query.is_valid(raise_exception=True)
    asked: Mapping[str, Any] = query.validated_data
    return asked
