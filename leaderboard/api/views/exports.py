"""Boards as files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request

from leaderboard.api.board_csv import csv_text
from leaderboard.api.board_parquet import parquet
from leaderboard.api.board_state import state_json
from leaderboard.api.boards import jsonl, row_facts
from leaderboard.api.conditional import conditional, unchanged
from leaderboard.api.exports import document, markdown
from leaderboard.api.operations import operation
from leaderboard.api.serializers.board import BoardSerializer
from leaderboard.api.serializers.board_queries import CsvQuery, ExportQuery
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.spreadsheets import PLAIN, excel
from leaderboard.api.views.base import AnyAccept, ApiView, challenge_or_404
from leaderboard.api.views.boards import (
    UNCHANGED,
    board_in,
    columns_in,
    meta_in,
    query_of,
    rows_in,
    unlisted_in,
)
from leaderboard.columns import Column
from leaderboard.rules.meta_values import MetaField
from leaderboard.services.board.file_formats import writes_parquet
from leaderboard.services.board.reported import Unlisted
from leaderboard.services.board.row_filter import RowsAsked
from leaderboard.services.competition.seen_board import SeenBoard
from leaderboard.services.errors import ServiceError

PARQUET = "application/vnd.apache.parquet"
INSTALL = "python -m pip install --require-hashes -r requirements-parquet.lock"


class WritesBoard(Protocol):
    """Writes a board as a file, in pieces."""

    def __call__(
        self,
        board: SeenBoard,
        columns: Sequence[Column],
        unlisted: Unlisted | None,
        *,
        asked: RowsAsked,
        meta: Sequence[MetaField],
    ) -> Iterator[str] | Iterator[bytes]: ...


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
        asked = query_of(CsvQuery(data=request.query_params))
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
        asked = query_of(ExportQuery(data=request.query_params))
        return _exported(request, slug, asked, jsonl, "jsonl", "application/x-ndjson")


class JsonView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="leaderboard_json",
        summary="The whole board as one document",
        parameters=[ExportQuery],
        responses={200: BoardSerializer, 304: UNCHANGED, **refusals(400, 404)},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """As a page of the board with all rows that are asked for."""
        asked = query_of(ExportQuery(data=request.query_params))
        return _exported(request, slug, asked, _document, "json", "application/json")


class MarkdownView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="leaderboard_markdown",
        summary="The whole board as a table in Markdown",
        parameters=[ExportQuery],
        responses={(200, "text/markdown"): OpenApiTypes.STR, 304: UNCHANGED, **refusals(400, 404)},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """For people: values are rounded as on pages, in English. Programs read another format."""
        asked = query_of(ExportQuery(data=request.query_params))
        return _exported(request, slug, asked, markdown, "md", "text/markdown; charset=utf-8")


class ParquetView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="leaderboard_parquet",
        summary="The whole board as Parquet",
        parameters=[ExportQuery],
        responses={(200, PARQUET): OpenApiTypes.BINARY, 304: UNCHANGED, **refusals(400, 404)},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """The columns of the CSV, with types; undefined values are null. 404 where the server
        cannot write Parquet, with what its operator has to install.
        """
        if not writes_parquet():
            wrong = _("This server cannot write Parquet. Its operator can install it: {command}")
            raise ServiceError("not_found", wrong.format(command=INSTALL))
        asked = query_of(ExportQuery(data=request.query_params))
        return _exported(request, slug, asked, parquet, "parquet", PARQUET)


def _document(
    board: SeenBoard,
    columns: Sequence[Column],
    unlisted: Unlisted | None,
    *,
    asked: RowsAsked,
    meta: Sequence[MetaField],
) -> Iterator[str]:
    state = state_json(board, columns, row_facts(board).certainty)
    return document(board, columns, unlisted, asked=asked, meta=meta, state=state)


def _exported(
    request: Request,
    slug: str,
    asked: Mapping[str, Any],
    written: WritesBoard,
    ending: str,
    content_type: str,
    variant: object = None,
) -> HttpResponseBase:
    """A file of the rows that are asked for, streamed."""
    if same := unchanged(request, slug, variant):
        return same
    challenge = challenge_or_404(request, slug)
    board = board_in(request, challenge, asked["phase"])
    columns, wanted = columns_in(board, asked), rows_in(board, asked)

    def answer() -> HttpResponseBase:
        headers = {"Content-Disposition": f'attachment; filename="{challenge.slug}.{ending}"'}
        unlisted = unlisted_in(board, asked, columns)
        meta = meta_in(board, asked)
        rows = wanted._replace(with_meta=bool(meta))
        pieces = written(board, columns, unlisted, asked=rows, meta=meta)
        return StreamingHttpResponse(pieces, content_type=content_type, headers=headers)

    return conditional(request, board, answer, variant)
