from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

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
from leaderboard.models import Challenge, Participant
from leaderboard.rules.sent import sent
from leaderboard.services.board import ranking
from leaderboard.services.board.editions import edition_count
from leaderboard.services.board.reported import Unlisted, has_reported
from leaderboard.services.challenges.code_changes import held_at
from leaderboard.services.competition.names import renamed_from
from leaderboard.services.errors import invalid

Written = Callable[[Challenge, Sequence[Column], Unlisted | None], Iterator[str]]

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
        return conditional(request, challenge, lambda: _page_of(challenge, asked))


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
        return conditional(request, challenge, lambda: _standing_of(challenge, participant))


def _exported(
    request: Request,
    slug: str,
    asked: Mapping[str, Any],
    written: Written,
    ending: str,
    content_type: str,
    variant: object = None,
) -> HttpResponseBase:
    """A file of the whole board, streamed."""
    if same := unchanged(request, slug, variant):
        return same
    challenge = challenge_or_404(request, slug)
    columns = _columns(challenge, asked)

    def answer() -> HttpResponseBase:
        headers = {"Content-Disposition": f'attachment; filename="{challenge.slug}.{ending}"'}
        pieces = written(challenge, columns, _unlisted(challenge, asked, columns))
        return StreamingHttpResponse(pieces, content_type=content_type, headers=headers)

    return conditional(request, challenge, answer, variant)


def _page_of(challenge: Challenge, asked: Mapping[str, Any]) -> Response:
    columns = _columns(challenge, asked)
    unlisted = _unlisted(challenge, asked, columns)
    page, after = _page(challenge, asked)
    return Response(
        {
            **_state(challenge, columns),
            "rows": [row_json(row, columns, unlisted) for row in page.rows],
            "next": after,
        }
    )


def _standing_of(challenge: Challenge, slug: str) -> Response:
    who = Participant.objects.called(challenge, slug) or renamed_from(challenge, slug)
    row = ranking.standing_of(challenge, who) if who else None
    if row is None:
        raise NotFound
    columns = ranking.columns_of(challenge)
    unlisted = Unlisted(challenge.shown, columns)
    above, below = ranking.around(challenge, row)
    return Response(
        {
            **_state(challenge, columns),
            **row_json(row, columns, unlisted),
            "above": [row_json(each, columns, unlisted) for each in above],
            "below": [row_json(each, columns, unlisted) for each in below],
        }
    )


def _state(challenge: Challenge, columns: Sequence[Column]) -> BoardJson:
    totals = ranking.totals_of(challenge)
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


def _page(challenge: Challenge, asked: Mapping[str, Any]) -> tuple[ranking.Page, str | None]:
    """The requested rows, and the cursor after them.

    In the board's own order a cursor is a place on the board; in any other, a count of rows.
    """
    limit, cursor, text, sort = (asked[name] for name in ("limit", "cursor", "search", "sort"))
    question = (challenge.shown_config_id, text, sort)
    place = place_in(cursor, *question)
    if not text and not sort:
        page = ranking.page_after(challenge, cursor=place, limit=limit)
        after = page.next_cursor
        return page, cursor_for(after, *question) if after else None
    start = _start(place)
    if sort:
        key, descending = sort.removeprefix("-"), sort.startswith("-")
        page = ranking.sorted_by(
            challenge, key, descending=descending, start=start, limit=limit + 1, text=text
        )
    else:
        page = ranking.search(challenge, text, start=start, limit=limit + 1)
    more = len(page.rows) > limit
    after = cursor_for(f"{start + limit}", *question) if more else None
    return ranking.Page(page.rows[:limit], start, None), after


def _start(place: str) -> int:
    if not place:
        return 0
    if not (place.isascii() and place.isdecimal() and len(place) <= 9):
        raise wrong_cursor(place)
    return int(place)


def _columns(challenge: Challenge, asked: Mapping[str, Any]) -> list[Column]:
    """The board's columns, or the requested ones in their order."""
    known = {column.key: column for column in ranking.columns_of(challenge)}
    keys = asked["columns"].split(",") if asked["columns"] else list(known)
    for key in keys:
        if key not in known and not has_reported(challenge, key):
            raise invalid("columns", f"must be among {', '.join(known)}; got {sent(key)}")
    return [known.get(key) or get_column(key) for key in dict.fromkeys(keys)]


def _unlisted(
    challenge: Challenge, asked: Mapping[str, Any], columns: Sequence[Column]
) -> Unlisted | None:
    """The reported values without a column; None if the reader has chosen columns."""
    return None if asked["columns"] else Unlisted(challenge.shown, columns)


def _query(query: BoardQuery | ExportQuery) -> Mapping[str, Any]:
    query.is_valid(raise_exception=True)
    asked: Mapping[str, Any] = query.validated_data
    return asked
