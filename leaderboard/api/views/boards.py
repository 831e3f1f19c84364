from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.boards import column_json, csv_text, jsonl, moment, rescoring_json, row_json
from leaderboard.api.conditional import conditional
from leaderboard.api.serializers.board import (
    BoardQuery,
    BoardSerializer,
    ExportQuery,
    StandingSerializer,
)
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import AnyAccept, ApiView, challenge_or_404
from leaderboard.columns import Column
from leaderboard.models import Challenge, Participant
from leaderboard.services import board
from leaderboard.services.code_changes import held_at
from leaderboard.services.editions import edition_count
from leaderboard.services.refused import invalid

Written = Callable[[Challenge, Sequence[Column]], Iterator[str]]

UNCHANGED = OpenApiResponse(description="The reader's copy, named by `If-None-Match`, is current.")


class LeaderboardView(ApiView):
    @extend_schema(
        operation_id="leaderboard_read",
        summary="Read a page of the board",
        parameters=[BoardQuery],
        responses={200: BoardSerializer, 304: UNCHANGED, **refusals(400, 404)},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Best first, the unranked last. With `If-None-Match`, 304 while nothing has changed."""
        challenge = challenge_or_404(request, slug)
        asked = _query(BoardQuery(data=request.query_params))
        return conditional(request, challenge, lambda: _page_of(challenge, asked))


class CsvView(ApiView):
    content_negotiation_class = AnyAccept

    @extend_schema(
        operation_id="leaderboard_csv",
        summary="The whole board as CSV",
        parameters=[ExportQuery],
        responses={(200, "text/csv"): OpenApiTypes.STR, 304: UNCHANGED, **refusals(400, 404)},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """For spreadsheets: an empty cell is empty, and no name begins a formula."""
        return _exported(request, slug, csv_text, "csv", "text/csv; charset=utf-8")


class JsonlView(ApiView):
    content_negotiation_class = AnyAccept

    @extend_schema(
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
        return _exported(request, slug, jsonl, "jsonl", "application/x-ndjson")


class StandingView(ApiView):
    @extend_schema(
        operation_id="standings_read",
        summary="Read one standing and those around it",
        responses={200: StandingSerializer, 304: UNCHANGED, **refusals(404)},
    )
    def get(self, request: Request, slug: str, participant: str) -> HttpResponseBase:
        """Up to five above and five below. 404 until an attempt of the participant is scored."""
        challenge = challenge_or_404(request, slug)
        who = Participant.objects.filter(tenant=challenge.tenant_id, slug=participant).first()
        return conditional(request, challenge, lambda: _standing_of(challenge, who))


def _exported(
    request: Request, slug: str, written: Written, ending: str, content_type: str
) -> HttpResponseBase:
    """A file of the whole board, streamed."""
    challenge = challenge_or_404(request, slug)
    columns = _columns(challenge, _query(ExportQuery(data=request.query_params)))

    def answer() -> HttpResponseBase:
        headers = {"Content-Disposition": f'attachment; filename="{challenge.slug}.{ending}"'}
        pieces = written(challenge, columns)
        return StreamingHttpResponse(pieces, content_type=content_type, headers=headers)

    return conditional(request, challenge, answer)


def _page_of(challenge: Challenge, asked: Mapping[str, Any]) -> Response:
    columns = _columns(challenge, asked)
    page, after = _page(challenge, asked)
    return Response(
        {
            **_state(challenge, columns),
            "rows": [row_json(row, columns) for row in page.rows],
            "next": after,
        }
    )


def _standing_of(challenge: Challenge, who: Participant | None) -> Response:
    row = board.standing_of(challenge, who) if who else None
    if row is None:
        raise NotFound
    columns = board.columns_of(challenge)
    above, below = board.around(challenge, row)
    return Response(
        {
            **_state(challenge, columns),
            **row_json(row, columns),
            "above": [row_json(each, columns) for each in above],
            "below": [row_json(each, columns) for each in below],
        }
    )


def _state(challenge: Challenge, columns: Sequence[Column]) -> dict[str, Any]:
    totals = board.totals_of(challenge)
    changed_at = challenge.board_changed_at
    return {
        "challenge": challenge.slug,
        "version": challenge.board_version,
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


def _page(challenge: Challenge, asked: Mapping[str, Any]) -> tuple[board.Page, str | None]:
    """The rows asked for, and the cursor behind them.

    In the board's own order that is a place on the board; in any other it is a count of rows.
    """
    limit, cursor, text, sort = (asked[name] for name in ("limit", "cursor", "search", "sort"))
    if not text and not sort:
        page = board.page_after(challenge, cursor=cursor, limit=limit)
        return page, page.next_cursor
    start = _start(cursor)
    if sort:
        key, descending = sort.removeprefix("-"), sort.startswith("-")
        page = board.sorted_by(
            challenge, key, descending=descending, start=start, limit=limit + 1, text=text
        )
    else:
        page = board.search(challenge, text, start=start, limit=limit + 1)
    more = len(page.rows) > limit
    rows = page.rows[:limit]
    return board.Page(rows, start, None), f"{start + limit}" if more else None


def _start(cursor: str) -> int:
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) <= 9):
        raise invalid("cursor", "must be the `next` of an earlier answer to the same question")
    return int(cursor)


def _columns(challenge: Challenge, asked: Mapping[str, Any]) -> list[Column]:
    """The board's columns, or those asked for, in that order."""
    known = {column.key: column for column in board.columns_of(challenge)}
    keys = [key for key in asked["columns"].split(",") if key] or list(known)
    for key in keys:
        if key not in known:
            raise invalid("columns", f"must be among {', '.join(known)}")
    return [known[key] for key in dict.fromkeys(keys)]


def _query(query: BoardQuery | ExportQuery) -> Mapping[str, Any]:
    query.is_valid(raise_exception=True)
    asked: Mapping[str, Any] = query.validated_data
    return asked
